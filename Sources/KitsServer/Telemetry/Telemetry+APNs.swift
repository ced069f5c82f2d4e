internal import APNs

extension Telemetry {
  /// Called on the loop threads: everything here is quick.
  func apnsObserver(_ metrics: APNsMetrics) -> @Sendable (APNsEvent) -> Void {
    { [self] event in record(event, metrics) }
  }

  private func record(_ event: APNsEvent, _ metrics: APNsMetrics) {
    switch event {
    case .connecting(let pool, let connection):
      metrics.connects.with().increment()
      metrics.connections.with().add(1)
      log(.debug, "apns_connecting", place(pool, connection))
    case .ready(let pool, let connection, let duration):
      metrics.connectSeconds.with().observe(duration)
      log(.info, "apns_ready", place(pool, connection) + [("seconds", .number(duration / .seconds(1)))])
    case .connectFailed(let pool, let connection, let code, let text, let wait):
      metrics.connectFailures.with().increment()
      log(
        .warning, "apns_connect_failed",
        place(pool, connection) + [
          ("code", .integer(code)), ("reason", .string(text)), ("retry_after_seconds", .number(wait / .seconds(1))),
        ])
    case .draining(let pool, let connection, let cause):
      metrics.drains.with(cause).increment()
      log(.info, "apns_draining", place(pool, connection) + [("cause", .string(cause))])
    case .closed(let pool, let connection, let answers):
      metrics.connections.with().add(-1)
      metrics.answers.with().increment(by: answers)
      log(.info, "apns_closed", place(pool, connection) + [("answers", .integer(answers))])
    }
  }

  private func place(_ pool: String, _ connection: UInt32) -> [(String, LogValue)] {
    [("pool", .string(pool)), ("connection", .integer(Int(connection)))]
  }
}
