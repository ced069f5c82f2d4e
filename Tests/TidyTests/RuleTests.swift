import Testing

/// Each rule finds what it is there for, and leaves what only looks like it.
@Suite struct RuleTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let rule: Rules.Rule
    let path: String
    let text: String
    let lines: [Int]
    var testDescription: String { "\(path): \(text.prefix(60).split(separator: "\n").joined(separator: " ⏎ "))" }

    init(_ rule: @escaping Rules.Rule, _ path: String, _ text: String, _ lines: [Int]) {
      self.rule = rule
      self.path = path
      self.text = text
      self.lines = lines
    }
  }

  static let core = "Sources/KitsCore/A.swift"
  static let crypto = "Sources/Crypto/A.swift"

  static let samples: [Sample] = [
    Sample(Rules.imports, core, "import FoundationEssentials\nimport Postgres", [2]),
    Sample(
      Rules.imports, crypto, "internal import COpenSSL\npackage import struct KitsCore.X\nimport Foundation", [2, 3]),
    Sample(Rules.imports, crypto, "// import KitsCore\nlet a = \"\nimport KitsCore\"", []),
    Sample(Rules.lineLength, core, String(repeating: "é", count: 120) + "\n" + String(repeating: "a", count: 121), [2]),
    Sample(Rules.fileLength, core, String(repeating: "\n", count: 500), []),
    Sample(Rules.fileLength, core, String(repeating: "\n", count: 501), [501]),
    Sample(Rules.names, "Sources/KitsAPI/Helpers/A.swift", "", [1]),
    Sample(Rules.names, "Tests/KitsAPITests/TokenManager.swift", "", [1]),
    Sample(Rules.names, "Sources/KitsCore/Commonwealth.swift", "", []),
    Sample(Rules.sql, "Sources/KitsAPI/A.swift", "let a = \"\"\"\n  INSERT INTO t\n  \"\"\"\n// DELETE FROM t", [2]),
    Sample(Rules.sql, "Sources/KitsStore/A.swift", "let a = \"DELETE FROM t\"", []),
    Sample(Rules.uncheckedSendable, crypto, "/// Why.\nfinal class A: @unchecked Sendable {}", []),
    Sample(Rules.uncheckedSendable, crypto, "\n\nfinal class A: @unchecked Sendable {}", [3]),
    Sample(Rules.uncheckedSendable, core, "/// Why.\nfinal class A: @unchecked Sendable {}", [2]),
    Sample(Rules.environment, core, "let a = getenv(\"A\")\nlet b = \"getenv()\"", [1]),
    Sample(Rules.output, crypto, "print(1)\nwriter.print(2)\nlet a = \"\\(print(3))\"", [1, 3]),
    Sample(Rules.traps, core, "let a = b!\n\n\nlet c = d != e\nlet f = !g", [1]),
    Sample(Rules.traps, core, "// Never empty.\nlet a = try! b()\nlet c = d as! E // Always.\nfatalError()", [4]),
    Sample(Rules.emptyCatches, core, "do { try a() } catch {}\ndo { try a() } catch {\n  // Gone is fine.\n}", [1]),
    Sample(Rules.emptyCatches, core, "do { try a() } catch is B {\n}\ndo { try a() } catch { b() }", [1]),
    Sample(Rules.sleeps, "Tests/ATests/A.swift", "try await Task.sleep(for: .seconds(1))\nusleep(1)", [1, 2]),
    Sample(Rules.sleeps, "Tests/TestSupport/A.swift", "// The server has no event for this.\nusleep(1)", []),
    Sample(Rules.machinePaths, "README.md", "see /ho" + "me/me/a\nhttps://example.com/ho" + "me/", [1]),
    Sample(Rules.functionLength, core, "func a() {\n" + String(repeating: "\n", count: 69) + "}", [1]),
    Sample(Rules.functionLength, core, "func a() {\n" + String(repeating: "\n", count: 68) + "}", []),
    Sample(
      Rules.functionLength, core,
      "protocol P {\n  func a()\n  func b() throws\n}\nextension P {\n" + String(repeating: "\n", count: 90) + "}", []),
  ]

  @Test("A rule finds the lines that break it and no others", arguments: samples)
  func rule(_ sample: Sample) {
    let found = sample.rule(SourceFile(path: sample.path, text: sample.text)).map(\.line)
    #expect(found == sample.lines)
  }

  @Test(
    "Comments and strings are told from code",
    arguments: [
      ("a // b \"c\"\nd", "a\nd", ""),
      ("a /* /* b */ \" */ c", "a                c", ""),
      ("a \"b // c\" d", "a \"\" d", "b // c"),
      (##"#"a"b"# + "\(c("d"))""##, ##"#""# + "\(c(""))""##, ##"a"bd"##),
      ("\"\"\"\n a \"b\"\n \"\"\" + c", "\"\"\"\n\n\"\"\" + c", " a \"b\"\n"),
    ])
  func parts(source: String, code: String, literals: String) {
    let parts = SwiftParts(source)
    func squeeze(_ text: String) -> String { text.filter { $0 != " " } }
    #expect(squeeze(parts.code) == squeeze(code))
    #expect(squeeze(parts.literals.filter { $0 != "\n" }) == squeeze(literals.filter { $0 != "\n" }))
    #expect(parts.code.utf8.count == source.utf8.count)
  }
}
