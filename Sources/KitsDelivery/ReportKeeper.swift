package import KitsCore
package import KitsStore

/// Counts what reports show, on one node at a time, so that no report has to look at deliveries.
package struct ReportKeeper: Sendable {
  private let store: RetentionStore
  private let rules: RetentionRules
  private let interval: Duration
  private let observe: @Sendable (DeliveryEvent) -> Void
  private let isStopping: @Sendable () -> Bool

  /// Hours that are looked for at once.
  package var hoursPerStep: Int32 = 100
  /// Rows that one statement removes.
  package var rowsPerStep: Int32 = 1_000

  /// - Parameter interval: for how long the counts of an hour are left as they are at least.
  package init(
    store: RetentionStore, rules: RetentionRules, interval: Duration,
    observe: @escaping @Sendable (DeliveryEvent) -> Void, isStopping: @escaping @Sendable () -> Bool
  ) {
    self.store = store
    self.rules = rules
    self.interval = interval
    self.observe = observe
    self.isStopping = isStopping
  }

  /// Does what is due. The time is an argument: it says which uninstalls can't be taken back any more and what is too
  /// old to be shown.
  package func keep(now: Timestamp) async throws {
    let due = Timestamp(microseconds: now.microseconds - interval.wholeSeconds * 1_000_000)
    guard try await store.claim(.reports, doneBefore: due) else { return }
    let isDone: Bool
    do {
      isDone = try await work(now, RetentionTurn(task: .reports, store: store, isStopping: isStopping))
    } catch {
      // Fails when the database is away: then the lease ends by itself.
      try? await store.release(.reports, doneAt: nil)
      throw error
    }
    try await store.release(.reports, doneAt: isDone ? now : nil)
  }

  /// False when the turn ended before everything was done.
  private func work(_ now: Timestamp, _ turn: RetentionTurn) async throws -> Bool {
    guard try await countHours(turn) else { return false }
    let uninstalls = try await turn.repeated(limit: rowsPerStep) {
      try await store.countUninstalls(before: now.hoursAgo(RetentionRules.uninstallHours), limit: rowsPerStep)
    }
    guard let uninstalls else { return false }
    report("uninstall", uninstalls)
    let oldest = now.hoursAgo(rules.recordDays * 24)
    let days = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetDeviceDays(before: oldest, limit: rowsPerStep)
    }
    guard let days else { return false }
    report("device_day", days)
    let hours = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetMessageHours(before: oldest, limit: rowsPerStep)
    }
    guard let hours else { return false }
    report("message_hour", hours)
    return true
  }

  /// Until nothing is due any more: after a pause each look finds the next hours only.
  private func countHours(_ turn: RetentionTurn) async throws -> Bool {
    var counted = 0
    defer { if counted > 0 { observe(.hoursCounted(count: counted)) } }
    var seen: Set<MessageHour> = []
    while true {
      let hours = try await store.messageHours(
        leastSeconds: Int32(clamping: interval.wholeSeconds), limit: hoursPerStep)
      // One that is due again already was counted a moment ago.
      let due = hours.filter { seen.insert($0).inserted }
      if due.isEmpty { return true }
      for hour in due {
        guard try await turn.goesOn() else { return false }
        try await store.count(hour)
        counted += 1
      }
    }
  }

  private func report(_ table: String, _ count: Int) {
    if count > 0 { observe(.rowsForgotten(table: table, count: count)) }
  }
}

extension Duration {
  fileprivate var wholeSeconds: Int64 { components.seconds }
}
