import Testing

@testable import KitsServer

@Suite("Help")
struct HelpTextTests {
  static func walk(_ command: CommandSpec, _ path: [String] = []) -> [(path: [String], command: CommandSpec)] {
    let here = path + [command.name]
    return [(here, command)] + command.subcommands.flatMap { walk($0, here) }
  }

  static let names = walk(CommandTree.root).map { $0.path.joined(separator: " ") }

  @Test("Every command has a usage line, examples that parse, and lines that fit", arguments: names)
  func complete(name: String) throws {
    let (path, command) = try #require(Self.walk(CommandTree.root).first { $0.path.joined(separator: " ") == name })
    let text = HelpText(path: path, command: command).rendered()
    #expect(text.hasPrefix("Usage: \(name) "))
    #expect(text.contains("--help"))
    #expect((command.action == nil) == !command.subcommands.isEmpty)
    if command.action != nil {
      #expect(text.contains("Examples:\n"))
      #expect(text.contains("--json"))
    }
    for line in text.split(separator: "\n") { #expect(line.count <= 110, "\(line)") }
  }

  @Test("The text of a command is exactly this")
  func snapshot() {
    let text = HelpText(path: ["kits", "serve"], command: CommandTree.serve).rendered()
    #expect(
      text == """
        Usage: kits serve [OPTIONS]

        Run the API and the delivery service.

        Runs until SIGTERM or SIGINT, then stops accepting, finishes what is under way for at most
        KITS_DRAIN_SECONDS and exits 0; a second signal exits at once. Any number of processes may
        serve one database. Refuses to start on a schema that `kits migrate` has not brought up to date.

        Options:
          --only PART   Run one half. One of: api, delivery.
          --json        Print one JSON object.
          --field NAME  Print the value of one field alone.
          --help        Show this text.

        Examples:
          kits serve
          kits serve --only delivery

        """)
  }

  @Test("A choice of options and positionals are part of the usage line")
  func usage() throws {
    let send = try #require(CommandTree.message.subcommands.first { $0.name == "send" })
    #expect(
      HelpText(path: ["kits", "message", "send"], command: send).rendered().hasPrefix(
        """
        Usage: kits message send --url URL --title TEXT --body TEXT
                 (--everyone | --installation ID | --external-id ID | --segment ID | --test-devices) [OPTIONS]

        """))
    let revoke = try #require(CommandTree.key.subcommands.first { $0.name == "revoke" })
    #expect(
      HelpText(path: ["kits", "key", "revoke"], command: revoke).rendered().hasPrefix(
        "Usage: kits key revoke KEY_ID [OPTIONS]\n"))
  }
}
