import Foundation
import KitsCore
import Testing

@Suite("Versions")
struct SemverTests {
  private static func vector(_ name: String) throws -> [String: Any] {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
    let data = try Data(contentsOf: root.appending(path: "Vectors/semver/\(name)"))
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test("the examples of Semantic Versioning 2.0.0, section 11, are in their order (K6)")
  func precedence() throws {
    let lists = try #require(Self.vector("precedence.json")["semver_2_0_0_section_11"] as? [[String]])
    #expect(lists.count == 3)
    for list in lists {
      let versions = try list.map { try #require(Semver(parsing: $0)) }
      for (left, right) in zip(versions, versions.dropFirst()) {
        #expect(left < right && left != right, "\(left.text) < \(right.text)")
      }
    }
  }

  @Test("the comparisons of node-semver agree")
  func comparisons() throws {
    let pairs = try #require(Self.vector("node-semver.json")["greater_than_strict"] as? [[String]])
    #expect(pairs.count >= 18)
    for pair in pairs {
      let greater = try #require(Semver(parsing: pair[0]))
      let less = try #require(Semver(parsing: pair[1]))
      #expect(greater > less && greater != less, "\(pair)")
    }
  }

  @Test("every valid version of semver.org is read")
  func valid() throws {
    let texts = try #require(Self.vector("semver-org-valid-invalid.json")["valid"] as? [String])
    #expect(texts.count == 31)
    for text in texts { #expect(Semver(parsing: text) != nil, "\(text)") }
  }

  @Test("what semver.org calls invalid is refused, but for what is wider here: fewer or more numbers, leading zeros")
  func invalid() throws {
    let texts = try #require(Self.vector("semver-org-valid-invalid.json")["invalid"] as? [String])
    let wider = texts.filter { Semver(parsing: $0) != nil }
    for text in wider {
      #expect(text.wholeMatch(of: /[0-9]+(\.[0-9]+)*(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]*)?/) != nil, "\(text)")
    }
    #expect(wider.contains("1") && wider.contains("1.2") && wider.contains("01.1.1"))
  }

  @Test(
    "versions that differ only in what doesn't count are the same",
    arguments: [
      ("1.2", "1.2.0"), ("1", "1.0.0.0"), ("1.02.3", "1.2.3"), ("1.2.3+build.7", "1.2.3"), ("0", "0.0"),
      ("1.2-rc.1", "1.2.0-rc.01"), ("1.2+", "1.2"),
    ])
  func same(left: String, right: String) throws {
    #expect(try #require(Semver(parsing: left)) == #require(Semver(parsing: right)))
  }

  @Test(
    "numbers have any length, and a version comes before one with more behind it",
    arguments: [
      ["0", "0.0.1", "0.1", "1.0.0-0", "1.0.0-1", "1.0.0-10", "1.0.0-99999999999999999999", "1.0.0-A", "1.0.0-a"],
      ["1.0.0-a", "1.0.0-a.1", "1.0.0-a.b", "1.0.0-a-", "1.0.0-aa", "1", "1.0.0.1-rc", "1.0.0.1", "1.0.1", "1.1"],
      ["1.9", "1.10", "1.99999999999999999998", "1.99999999999999999999", "1.100000000000000000000", "2"],
      ["2024.1", "2024.1.0.3-beta", "2024.1.0.3", "2024.1.1", "20240101", "99999999999999999999999999999999"],
    ])
  func order(texts: [String]) throws {
    let versions = try texts.map { try #require(Semver(parsing: $0)) }
    for (index, left) in versions.enumerated() {
      for right in versions[(index + 1)...] { #expect(left < right, "\(left.text) < \(right.text)") }
    }
  }

  @Test(
    "what has no place in the order is refused",
    arguments: [
      "", "v1.2", "1.2 beta", "1..2", ".1", "1.", "1.2-", "1.2-a..b", "1.2-a_b", "1.2b3", "beta", "-1", "1.2 ", "１.2",
      "1.2\n", "1,2", "1.2+é", "1.2-é", "1.x", "٣.1",
    ])
  func none(text: String) {
    #expect(Semver(parsing: text) == nil)
  }
}
