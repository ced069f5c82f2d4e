import FoundationEssentials
import Testing

@Suite struct DocumentTests {
  static func text(_ path: String) throws -> String {
    try #require(try SourceTree.files(path, suffixes: [""]).first, "\(path) is missing").text
  }

  @Test("The API has the version that the changelog names first")
  func version() throws {
    let api = try #require(Self.text("openapi.yaml").firstMatch(of: #/(?m)^  version: (\S+)$/#)?.output.1)
    let log = try #require(Self.text("CHANGELOG.md").firstMatch(of: #/(?m)^## (\d+\.\d+\.\d+)/#)?.output.1)
    #expect(api == log)
  }

  @Test("Every relative link in a document leads to a file")
  func links() throws {
    let documents = try SourceTree.files("", suffixes: [".md"])
    #expect(documents.contains { $0.path == "README.md" })
    for document in documents {
      let folder = document.path.split(separator: "/").dropLast().joined(separator: "/")
      for match in document.text.matches(of: #/\]\(([^)\s#]+)(#[^)\s]*)?\)/#) {
        let link = String(match.output.1)
        if link.contains(":") { continue }
        let path = folder.isEmpty ? link : "\(folder)/\(link)"
        #expect(SourceTree.exists(path), "\(document.path) links to \(link)")
      }
    }
  }

  @Test("Every test that a document names exists")
  func namedTests() throws {
    let documents = try SourceTree.files("docs", suffixes: [".md"])
    let named = documents.flatMap { $0.text.matches(of: #/([A-Za-z]+Tests)/([A-Za-z]+)\.([a-zA-Z0-9]+)/#) }
    #expect(named.count > 70)
    for match in named {
      let (_, target, suite, test) = match.output
      let text = try Self.suite(String(suite), in: String(target))
      #expect(text.contains("func \(test)("), "\(match.output.0)")
    }
  }

  @Test("Every fault that the page of faults quotes exists")
  func quotedFaults() throws {
    let document = try Self.text("docs/apns-faults.md")
    let faults = try Self.text("Tests/KitsFaultTests/Fault+Catalogue.swift")
    for match in document.matches(of: #/“([^”]+)”/#) where match.output.1 != "processing" {
      let name = String(match.output.1)
      #expect(faults.contains("\"\(name)\"") || ["Never sent", "unknown"].contains(name), "\(name)")
    }
  }

  /// The file of a suite, wherever it is in its target.
  private static func suite(_ name: String, in target: String) throws -> String {
    try #require(
      try SourceTree.swift("Tests/\(target)").first { $0.path.hasSuffix("/\(name).swift") }, "\(target)/\(name)"
    ).text
  }

  @Test("Every setting of the server is in the example settings and in the operations manual")
  func settings() throws {
    let example = try Self.text("deploy/kits.env.example")
    let manual = try Self.text("docs/operations.md")
    // Settings of commands and of the demo are documented where those are.
    let elsewhere = ["KITS_SERVER_KEY", "KITS_DEMO_", "KITS_TEST_"]
    let named = try SourceTree.swift("Sources/KitsServer").flatMap { file in
      file.text.matches(of: #/"(KITS_[A-Z0-9_]+)"/#).map { String($0.output.1) }
    }
    for name in Set(named) where !elsewhere.contains(where: { name.hasPrefix($0) }) {
      #expect(example.contains(name), "\(name) is not in deploy/kits.env.example")
      #expect(manual.contains(name), "\(name) is not in docs/operations.md")
    }
  }

  @Test("Every code that an operation of the API can answer is in its table")
  func codes() throws {
    let text = try Self.text("openapi.yaml")
    let table = try #require(text.firstRange(of: "\nx-kits-codes:\n"))
    let codes = Set(text[table.upperBound...].matches(of: #/(?m)^  ([A-Z][A-Z0-9_]*): \{/#).map { String($0.output.1) })
    let used = text.matches(of: #/x-kits-codes: \[([^\]]*)\]/#)
      .flatMap { $0.output.1.split(separator: ",") }.map { String($0.filter { $0 != " " }) }
    #expect(Set(used).subtracting(codes) == [])
    #expect(codes.count >= 31)
  }
}
