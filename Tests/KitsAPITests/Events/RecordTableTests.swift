import Foundation
import TestSupport
import Testing

/// The tables of `docs/record-rules.md` and the tests say the same rows.
struct RecordTableTests {
  @Test("Every row of the record rules has a test that cites it, and no test cites another one")
  func rows() throws {
    let document = try String(contentsOfFile: TestCluster.repository + "/docs/record-rules.md", encoding: .utf8)
    let rows = document.matches(of: #/(?m)^\| (\d+) \|/#).compactMap { Int($0.output.1) }
    #expect(rows == Array(1...max(1, rows.count)))
    let folder = TestCluster.repository + "/Tests/KitsAPITests/Events"
    var cited: Set<Int> = []
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasSuffix("Tests.swift") {
      let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
      for match in text.matches(of: #/"Rows? (\d+)(?: and (\d+))?:/#) {
        for number in [match.output.1, match.output.2 ?? ""] { Int(number).map { _ = cited.insert($0) } }
      }
    }
    #expect(cited == Set(rows))
    #expect(rows.count > 30)
  }
}
