package import KitsCore
package import KitsStore

/// Removes what is too old, in short steps, on one node at a time. Sending never waits for it.
///
/// A day of chunks goes in this order, so that a crash anywhere leaves something that the next run ends: count the
/// outcomes of each message, forget the contents, detach and drop the day of its events, then its own.
package struct RetentionSweeper: Sendable {
  let store: RetentionStore
  let rules: RetentionRules
  private let observe: @Sendable (DeliveryEvent) -> Void
  private let isStopping: @Sendable () -> Bool

  /// Rows that one statement removes.
  package var rowsPerStep: Int32 = 1_000
  /// Recipients whose outcomes one statement counts: some tenths of a second.
  package var recipientsPerStep: Int64 = 1_000_000
  /// How long one try to take a day out may wait for statements that run.
  package var detachLimit = Duration.seconds(5)
  package var detachAttempts = 3

  package init(
    store: RetentionStore, rules: RetentionRules, observe: @escaping @Sendable (DeliveryEvent) -> Void,
    isStopping: @escaping @Sendable () -> Bool
  ) {
    self.store = store
    self.rules = rules
    self.observe = observe
    self.isStopping = isStopping
  }

  /// Does what is due. The time is an argument: it alone decides what is old.
  package func sweep(now: Timestamp) async throws {
    try await perform(.retention, now) { try await retain(now, $0) }
    try await perform(.tokenOwners, now) { try await sweepTokenOwners(now, $0) }
    try await perform(.identity, now) { try await forgetIdentity(now, $0) }
    try await perform(.outbox, now) { try await forgetEvents(now, $0) }
    try await perform(.audit, now) { try await forgetAudit(now, $0) }
  }

  private func perform(
    _ task: MaintenanceTask, _ now: Timestamp, _ work: (RetentionTurn) async throws -> Bool
  ) async throws {
    guard try await store.claim(task, doneBefore: now.hoursAgo(RetentionRules.hoursBetween(task))) else { return }
    let isDone: Bool
    do {
      isDone = try await work(RetentionTurn(task: task, store: store, isStopping: isStopping))
    } catch {
      // Fails when the database is away: then the lease ends by itself.
      try? await store.release(task, doneAt: nil)
      throw error
    }
    try await store.release(task, doneAt: isDone ? now : nil)
  }

  // MARK: Days

  /// False when the turn ended before everything was done.
  private func retain(_ now: Timestamp, _ turn: RetentionTurn) async throws -> Bool {
    guard try await forgetKeys(now, turn), try await forgetActivity(now, turn) else { return false }
    let events = try await store.partitions(of: .events)
    for partition in try await store.partitions() where rules.isOver(partition, at: now) {
      guard try await turn.goesOn() else { return false }
      if partition.standing == .attached {
        guard try await isClosed(partition) else { continue }
        guard try await prepare(partition, turn) else { return false }
        guard try await isCounted(partition) else { continue }
      }
      // Only one day can be on its way out, so the others wait for it.
      if let events = events.first(where: { $0.day == partition.day }) {
        guard try await remove(events) else { break }
      }
      guard try await remove(partition) else { break }
      observe(.dayDropped(day: partition.day))
    }
    return try await forgetMessages(now, turn)
  }

  private func isClosed(_ partition: DayPartition) async throws -> Bool {
    let open = try await store.openCount(of: partition)
    if open > 0 { observe(.dayKept(day: partition.day, reason: "\(open) messages, chunks or retries are open")) }
    return open == 0
  }

  /// Counts would be lost: a ledger that doesn't add up has to be looked at first.
  private func isCounted(_ partition: DayPartition) async throws -> Bool {
    let missing = try await store.missingRollUps(of: partition)
    if missing > 0 { observe(.dayKept(day: partition.day, reason: "the ledgers of \(missing) messages don't add up")) }
    return missing == 0
  }

  /// Counts outcomes and forgets contents. False when the turn ended before.
  private func prepare(_ partition: DayPartition, _ turn: RetentionTurn) async throws -> Bool {
    var place = MessagePlace.start
    while let next = try await store.rollUp(
      partition, after: place, messages: rowsPerStep, recipients: recipientsPerStep)
    {
      place = next
      guard try await turn.goesOn() else { return false }
    }
    let contents = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetContents(of: partition, limit: rowsPerStep)
    }
    guard let contents else { return false }
    report("message_body", contents)
    let summaries = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetSummaries(of: partition, limit: rowsPerStep)
    }
    guard let summaries else { return false }
    report("delivery_summary", summaries)
    return true
  }

  /// False when something held the table for too long: the next run goes on from there.
  private func remove(_ partition: DayPartition) async throws -> Bool {
    var standing = partition.standing
    for _ in 0..<max(1, detachAttempts) {
      do {
        switch standing {
        case .attached: try await store.detach(partition, within: detachLimit)
        case .detaching: try await store.finishDetaching(partition, within: detachLimit)
        case .detached: break
        }
        try await store.drop(partition, within: detachLimit)
        return true
      } catch {
        observe(.troubled(activity: "retention", problem: "\(partition.name): \(error)"))
        let days = try await store.partitions(of: partition.table)
        guard let found = days.first(where: { $0.day == partition.day }) else { return true }
        standing = found.standing
      }
    }
    return false
  }

  // MARK: Rows

  private func forgetKeys(_ now: Timestamp, _ turn: RetentionTurn) async throws -> Bool {
    let registrations = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetRegistrationKeys(
        before: now.hoursAgo(RetentionRules.registrationKeyHours), limit: rowsPerStep)
    }
    guard let registrations else { return false }
    report("registration", registrations)
    let idempotencyKeys = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetIdempotencyKeys(
        before: now.hoursAgo(RetentionRules.idempotencyKeyHours), limit: rowsPerStep)
    }
    guard let idempotencyKeys else { return false }
    report("idempotency_key", idempotencyKeys)
    let tokens = try await store.forgetProviderTokens(before: now.hoursAgo(RetentionRules.providerTokenHours))
    report("provider_token", tokens)
    let tagKeys = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetTagKeys(before: now.hoursAgo(RetentionRules.tagKeyHours), limit: rowsPerStep)
    }
    guard let tagKeys else { return false }
    report("tag_key", tagKeys)
    return true
  }

  private func forgetMessages(_ now: Timestamp, _ turn: RetentionTurn) async throws -> Bool {
    let oldest = try await store.partitions().filter { $0.standing != .detached }.map(\.low).min()
    let messages = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetMessages(
        before: now.hoursAgo(rules.recordDays * 24), oldest: oldest ?? .max, limit: rowsPerStep)
    }
    guard let messages else { return false }
    report("message", messages)
    return true
  }

  private func sweepTokenOwners(_ now: Timestamp, _ turn: RetentionTurn) async throws -> Bool {
    var place = TokenPlace.start
    var removed = 0
    let before = now.hoursAgo(RetentionRules.tokenOwnerHours)
    while let step = try await store.sweepTokenOwners(after: place, before: before, limit: rowsPerStep) {
      place = step.place
      removed += Int(step.removed)
      guard try await turn.goesOn() else { return false }
    }
    report("token_owner", removed)
    return try await sweepReplacedImports(turn)
  }

  private func forgetAudit(_ now: Timestamp, _ turn: RetentionTurn) async throws -> Bool {
    let entries = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetAudit(before: now.hoursAgo(rules.auditDays * 24), limit: rowsPerStep)
    }
    guard let entries else { return false }
    report("audit_entry", entries)
    return true
  }

  func report(_ table: String, _ count: Int) {
    if count > 0 { observe(.rowsForgotten(table: table, count: count)) }
  }
}
