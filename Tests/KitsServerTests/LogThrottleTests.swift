import Foundation
import Glibc
import KitsAPI
import KitsCore
import Testing

@testable import KitsServer

@Suite("Sparse log lines")
struct LogThrottleTests {
  @Test("One line of a kind per second, which counts those before it")
  func interval() {
    let throttle = LogThrottle()
    let start = ContinuousClock.now
    #expect(throttle.admit("a", at: start) == 0)
    for milliseconds in 1..<1000 {
      #expect(throttle.admit("a", at: start + .milliseconds(milliseconds)) == nil)
    }
    #expect(throttle.admit("b", at: start + .milliseconds(10)) == 0)
    #expect(throttle.admit("a", at: start + .seconds(1)) == 999)
    #expect(throttle.admit("a", at: start + .milliseconds(1500)) == nil)
    #expect(throttle.admit("a", at: start + .seconds(9)) == 1)
    #expect(throttle.admit("a", at: start + .seconds(20)) == 0)
  }

  @Test("Kinds beyond the limit share a line, until others are forgotten")
  func limit() {
    let throttle = LogThrottle()
    let start = ContinuousClock.now
    for number in 0..<LogThrottle.kinds { #expect(throttle.admit("\(number)", at: start) == 0) }
    #expect(throttle.admit("x", at: start) == 0)
    #expect(throttle.admit("y", at: start) == nil)
    #expect(throttle.admit("0", at: start) == nil)
    #expect(throttle.admit("x", at: start + LogThrottle.memory) == 0)
    #expect(throttle.admit("y", at: start + LogThrottle.memory) == 0)
  }

  @Test("An outage is a line per second and kind, while the metrics count every request")
  func outage() throws {
    let pipe = TelemetryTests.pipe()
    let telemetry = Telemetry(level: .info, descriptor: pipe.write)
    let observe = telemetry.apiObserver(APIMetrics(telemetry.metrics))
    for number in 0..<5000 {
      observe(.databaseFault(requestID: "r\(number)", code: .databaseUnavailable, cause: "down"))
    }
    telemetry.flush()
    let lines = TelemetryTests.readAvailable(pipe.read).split(separator: "\n")
    #expect((1...30).contains(lines.count))
    #expect(telemetry.metrics.exposition().contains(#"kits_api_faults_total{code="DATABASE_UNAVAILABLE"} 5000"#))
    close(pipe.read)
  }
}
