import Foundation
import Glibc
import Synchronization
import Testing

@testable import KitsServer

@Suite("Telemetry")
struct TelemetryTests {
  /// Both ends of a pipe, closed by the test.
  static func pipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    precondition(Glibc.pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  static func readAvailable(_ descriptor: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let count = read(descriptor, &buffer, buffer.count)
    return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
  }

  @Test("Lines below the level are neither written nor counted, and their fields never evaluated")
  func levels() throws {
    let pipe = Self.pipe()
    let telemetry = Telemetry(level: .notice, descriptor: pipe.write)
    func unexpected() -> [(String, LogValue)] {
      Issue.record("evaluated")
      return []
    }
    telemetry.log(.info, "hidden", unexpected())
    telemetry.log(.notice, "shown", requestID: "r1", [("n", 1)])
    telemetry.log(.error, "shown_too")
    telemetry.flush()
    let lines = Self.readAvailable(pipe.read).split(separator: "\n")
    try #require(lines.count == 2)
    let first = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
    #expect(first["event"] as? String == "shown")
    #expect(first["request_id"] as? String == "r1")
    #expect(first["level"] as? String == "notice")
    #expect(first["n"] as? Int == 1)
    let text = telemetry.metrics.exposition()
    #expect(text.contains("kits_log_lines_total{level=\"error\"} 1\nkits_log_lines_total{level=\"notice\"} 1\n"))
    #expect(text.contains("kits_log_lines_dropped_total 0\n"))
    close(pipe.read)
  }

  @Test("Lines of one thread stay in order and none is torn under many threads")
  func order() async {
    let pipe = Self.pipe()
    let writer = LogWriter(descriptor: pipe.write)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask { for number in 0..<100 { writer.enqueue("\(task) \(number)\n") } }
      }
    }
    #expect(writer.flush())
    var next = [Int](repeating: 0, count: 8)
    for line in Self.readAvailable(pipe.read).split(separator: "\n") {
      let parts = line.split(separator: " ").compactMap { Int($0) }
      #expect(parts.count == 2 && next[parts[0]] == parts[1])
      next[parts[0]] += 1
    }
    #expect(next == [Int](repeating: 100, count: 8))
    close(pipe.read)
  }

  @Test("A reader that stands still costs lines, not time, and the loss is reported")
  func bounded() {
    let pipe = Self.pipe()
    let writer = LogWriter(descriptor: pipe.write, capacity: 10)
    let big = String(repeating: "x", count: 1 << 20) + "\n"
    writer.enqueue(big)
    // The pipe holds 64 KB, so the writer is stuck in the first line from some point on.
    for number in 0..<10_000 { writer.enqueue("\(number)\n") }
    let dropped = writer.dropped.load(ordering: .relaxed)
    #expect(dropped >= 9_900 && dropped < 10_000)
    #expect(!writer.flush(within: .milliseconds(1)))
    var text = ""
    while !text.contains("log_lines_dropped") { text += Self.readAvailable(pipe.read) }
    #expect(text.contains(#""event":"log_lines_dropped","lines":\#(dropped)"#))
    #expect(writer.flush())
    close(pipe.read)
  }
}
