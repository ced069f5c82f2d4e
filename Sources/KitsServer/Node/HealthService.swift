internal import KitsStore
internal import Postgres

/// Reads how the work in the database stands, for the metrics. It decides nothing.
final class HealthService: Service {
  let name = "health"
  static let interval = Duration.seconds(15)
  /// A count that takes longer is left out this time.
  static let deadline = Duration.seconds(5)

  private let health: HealthStore
  private let telemetry: Telemetry
  private let metrics: BacklogMetrics
  private let (ended, end) = AsyncStream.makeStream(of: Void.self)

  init(health: HealthStore, telemetry: Telemetry) {
    self.health = health
    self.telemetry = telemetry
    metrics = BacklogMetrics(telemetry.metrics)
  }

  func run() async throws {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          await self.read()
          // Cancelled at the stop: the loop's condition sees it.
          try? await Task.sleep(for: Self.interval)
        }
      }
      for await _ in ended {}
      group.cancelAll()
    }
  }

  func stop() async {
    end.finish()
  }

  private func read() async {
    do {
      if let backlog = try await health.backlog(deadline: .now + Self.deadline) { metrics.set(backlog) }
      if let webhooks = try await health.webhookBacklog(deadline: .now + Self.deadline) { metrics.set(webhooks) }
      let mismatches = try await health.ledgerMismatches(deadline: .now + Self.deadline)
      metrics.ledgerMismatch.set(Double(mismatches))
      if mismatches > 0 { telemetry.log(.error, "ledger_mismatch", [("messages", .integer(mismatches))]) }
    } catch {
      // The pool reports what is wrong; the gauges keep their last values.
      telemetry.log(.debug, "backlog_unread", [("reason", .string("\(error)"))])
    }
  }
}
