import Testing

@testable import KitsServer

@Suite("Command line")
struct CommandParserTests {
  static let parser = CommandParser(root: CommandTree.root)

  static func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

  @Test(
    "Each command is found with its arguments",
    arguments: [
      ("serve", "kits serve"), ("serve --only api", "kits serve"), ("migrate --json", "kits migrate"),
      ("check-config", "kits check-config"), ("version", "kits version"), ("--version", "kits version"),
      ("project create --name Shop", "kits project create"),
      ("app create --environment E --name N --platform ios --bundle-id b", "kits app create"),
      ("app list --field apps", "kits app list"),
      ("key create --environment E --name N --scope messages:send --scope messages:read", "kits key create"),
      ("key list --environment=E", "kits key list"), ("key revoke K", "kits key revoke"),
      ("message send --url U --everyone --title T --body B", "kits message send"),
      ("message send --url U --installation I --installation J --title T --body B", "kits message send"),
      ("message watch M --url U", "kits message watch"), ("message watch --url U -- M", "kits message watch"),
    ])
  func found(line: String, expected: String) throws {
    guard case .run(let path, _, _) = try Self.parser.parse(Self.words(line)) else {
      Issue.record("help instead of a run")
      return
    }
    #expect(path.joined(separator: " ") == expected)
  }

  @Test("Values, repeated values, equals signs and positionals arrive as given")
  func values() throws {
    let line = [
      "message", "send", "--url=http://x?a=b", "--installation", "1", "--title", "-5°", "--installation", "2",
      "--body=",
    ]
    guard case .run(_, _, let arguments) = try Self.parser.parse(line) else {
      Issue.record("help instead of a run")
      return
    }
    #expect(arguments.value("url") == "http://x?a=b")
    #expect(arguments.values("installation") == ["1", "2"])
    #expect(arguments.value("title") == "-5°")
    #expect(arguments.value("body") == "")
    #expect(!arguments.has("everyone"))
  }

  @Test(
    "A wrong line says what is wrong and what was probably meant",
    arguments: [
      ("srve", "unknown command `srve` for `kits`; did you mean `serve`?"),
      ("key creat", "unknown command `creat` for `kits key`; did you mean `create`?"),
      ("zzzzzzzz", "unknown command `zzzzzzzz` for `kits`"),
      ("--verison", "unknown option `--verison` for `kits`; did you mean `--version`?"),
      ("key", "`kits key` needs one of: create, list, revoke"),
      ("serve --onyl api", "unknown option `--onyl`; did you mean `--only`?"),
      ("serve -x", "unknown option `-x`"), ("serve --only web", "--only must be one of api, delivery"),
      ("serve --only", "--only needs a value: --only PART"),
      ("serve --only --json", "--only needs a value: --only PART"),
      ("serve --only api --only api", "--only was given twice"), ("serve now", "unexpected argument `now`"),
      ("serve --json=1", "--json takes no value"), ("key revoke", "missing argument KEY_ID"),
      ("key create --environment E", "`kits key create` needs --name NAME, --scope SCOPE"),
      (
        "message send --url U --title T --body B",
        "`kits message send` needs --everyone or --installation or --external-id or --segment or --test-devices"
      ),
      (
        "message send --url U --title T --body B --everyone --installation I",
        "give only one of --everyone or --installation or --external-id or --segment or --test-devices"
      ),
      ("version --json --field version", "give only one of --json or --field"),
    ])
  func wrong(line: String, message: String) {
    let failure = #expect(throws: CommandFailure.self) { try Self.parser.parse(Self.words(line)) }
    #expect(failure == .usage(message))
  }

  @Test("A control character in a wrong word doesn't reach the terminal")
  func escapes() {
    let failure = #expect(throws: CommandFailure.self) { try Self.parser.parse(["\u{1B}[31m"]) }
    #expect(failure?.message == "unknown command `\\u{1b}[31m` for `kits`")
  }

  @Test(
    "Help wins wherever it is asked for",
    arguments: [
      ("", "kits"), ("--help", "kits"), ("-h", "kits"), ("help", "kits"), ("help key create", "kits key create"),
      ("key --help", "kits key"), ("key create --help", "kits key create"),
      ("key create --nonsense -h", "kits key create"),
    ])
  func help(line: String, expected: String) throws {
    guard case .help(let path, _) = try Self.parser.parse(Self.words(line)) else {
      Issue.record("a run instead of help")
      return
    }
    #expect(path.joined(separator: " ") == expected)
  }

  @Test("The word after -- is never an option")
  func terminator() throws {
    guard case .run(_, _, let arguments) = try Self.parser.parse(["key", "revoke", "--", "--help"]) else {
      Issue.record("help instead of a run")
      return
    }
    #expect(try arguments.required("KEY_ID") == "--help")
  }

  @Test(
    "The distance counts inserts, deletes, replacements and swaps",
    arguments: [
      ("", "", 0), ("a", "", 1), ("", "ab", 2), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3),
    ])
  func distance(left: String, right: String, expected: Int) {
    #expect(Suggestion.distance(Array(left.utf8), Array(right.utf8)) == expected)
  }
}
