import Foundation
import JSON

/// What another client says of its run.
struct PeerResult {
  let rate: Double
  let cpuPer100k: Double

  init(_ text: String, expected count: Int) throws(BenchError) {
    guard let report = (try? JSON.parse(Array(text.trimmingCharacters(in: .newlines).utf8)))?.object,
      let completed = report["completed"]?.integer, let failed = report["failed"]?.integer,
      let seconds = Self.number(report["seconds"]), let cpu = Self.number(report["cpu_seconds"])
    else { throw BenchError("no report: \(text)") }
    guard failed == 0, completed == count else { throw BenchError("\(failed) of \(count) failed") }
    rate = Double(completed) / seconds
    cpuPer100k = cpu * 1e5 / Double(completed)
  }

  private static func number(_ value: JSONValue?) -> Double? {
    switch value {
    case .real(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }
}
