import Foundation
import KitsCore
import TestSupport
import Testing

@Suite("The page about segments")
struct SegmentDocumentTests {
  @Test("its table has every field with the operators that it has, and no other")
  func table() throws {
    let text = try String(contentsOfFile: TestCluster.repository + "/docs/segments.md", encoding: .utf8)
    var found: [String: [String]] = [:]
    for match in text.matches(of: /(?m)^\| `([a-z_]+|tag\.<key>)` \| ([^|]+) \|/) {
      let name = match.1 == "tag.<key>" ? FilterField.tag.rawValue : String(match.1)
      found[name] = match.2.matches(of: /`([a-z_]+)`/).map { String($0.1) }
    }
    let expected = FilterField.allCases.map { ($0.rawValue, $0.operators.map(\.rawValue)) }
    #expect(found == Dictionary(uniqueKeysWithValues: expected))
  }

  @Test("its limits are those of the code")
  func limits() throws {
    let text = try String(contentsOfFile: TestCluster.repository + "/docs/segments.md", encoding: .utf8)
    for limit in [
      "\(Limits.filterDepth) levels", "\(Limits.filterLeaves) conditions",
      "\(Limits.filterValues.upperBound) values",
      "\(Limits.segmentsPerApp.formatted(.number.locale(Locale(identifier: "en_US")))) segments",
      "\(Limits.segmentsPerAudience.upperBound) segments", "\(Limits.segmentNameBytes.upperBound) bytes",
    ] {
      #expect(text.contains(limit), "\(limit)")
    }
  }
}
