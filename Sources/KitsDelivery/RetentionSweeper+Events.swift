import KitsCore
import KitsStore

extension RetentionSweeper {
  /// False when the turn ended before everything was done.
  func forgetEvents(_ now: Timestamp, _ turn: RetentionTurn) async throws -> Bool {
    let before = now.hoursAgo(rules.eventDays * 24)
    let deliveries = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetWebhookDeliveries(before: before, limit: rowsPerStep)
    }
    guard let deliveries else { return false }
    report("webhook_delivery", deliveries)
    let events = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetEvents(before: before, limit: rowsPerStep)
    }
    guard let events else { return false }
    report("outbox_event", events)
    return true
  }
}
