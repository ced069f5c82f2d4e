import Glibc
import Synchronization

/// The only writer of logs and the owner of the metrics.
///
/// Targets report what happened as events of their own; extensions of this type turn those into lines and counts.
final class Telemetry: Sendable {
  let level: LogLevel
  let metrics: MetricsRegistry
  private let writer: LogWriter
  private let lines: CounterFamily
  private let throttle = LogThrottle()
  let http: HTTPMetrics

  init(level: LogLevel, descriptor: Int32 = STDERR_FILENO, metrics: MetricsRegistry = MetricsRegistry()) {
    self.level = level
    self.metrics = metrics
    let writer = LogWriter(descriptor: descriptor)
    self.writer = writer
    http = HTTPMetrics(metrics)
    lines = metrics.counter("kits_log_lines_total", help: "Log lines by level.", labels: ["level"])
    metrics.observedCounter("kits_log_lines_dropped_total", help: "Log lines lost because the queue was full.") {
      Double(writer.dropped.load(ordering: .relaxed))
    }
  }

  /// Writes one line. Fields are only evaluated when the level is on.
  func log(
    _ level: LogLevel, _ event: StaticString, requestID: String? = nil,
    _ fields: @autoclosure () -> [(String, LogValue)] = []
  ) {
    guard level >= self.level else { return }
    lines.with(level.name).increment()
    let line = LogLine(time: .now(), level: level, event: event, requestID: requestID, fields: fields())
    writer.enqueue(line.rendered())
  }

  /// For what every request or push can bring: at most one line per second, with how many weren't written.
  ///
  /// - Parameter part: tells apart what should not hide one another; few values.
  func logSparsely(
    _ level: LogLevel, _ event: StaticString, part: String = "", requestID: String? = nil,
    _ fields: @autoclosure () -> [(String, LogValue)] = []
  ) {
    guard level >= self.level, let suppressed = throttle.admit("\(event) \(part)") else { return }
    log(level, event, requestID: requestID, fields() + (suppressed > 0 ? [("suppressed", .integer(suppressed))] : []))
  }

  /// To be called before the process ends.
  func flush() {
    writer.flush()
  }
}
