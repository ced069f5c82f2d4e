package import KitsCore
package import Postgres

/// The delivery half's view of messages: plans, chunks, retries, feedback. One value per node; `owner` marks its
/// leases.
package struct DeliveryStore: Sendable {
  let pool: ConnectionPool
  package let owner: Int64
  private let leaseSeconds: Int32

  package init(pool: ConnectionPool, owner: Int64, leaseSeconds: Int32) {
    self.pool = pool
    self.owner = owner
    self.leaseSeconds = leaseSeconds
  }

  // MARK: Chunks

  package func openMessages(limit: Int32) async throws(PostgresError) -> [OpenMessage] {
    try await pool.run(ListOpenMessages(limit: limit))
  }

  package func dispatchable(_ message: OpenMessage) async throws(PostgresError) -> DispatchableMessage? {
    try await pool.first(ReadDispatchable(message: message))
  }

  /// Nil when there is no chunk to take.
  package func claimChunk(of message: OpenMessage, window: Int32) async throws(PostgresError) -> ChunkWindow? {
    let rows = try await pool.run(
      ClaimChunk(
        app: message.app, message: message.message, owner: owner, window: window,
        leaseSeconds: leaseSeconds))
    return WindowMember.gather(rows)
  }

  package func ack(_ ack: WindowAck) async throws(PostgresError) -> WindowAck.Answer {
    let rows = try await pool.run(AckWindow(ack: ack, leaseSeconds: leaseSeconds))
    switch rows.first {
    case nil: return .leaseLost
    case .done: return .chunkDone
    case .stopped: return .stopped
    case .idle: return .idle
    case .member(let from, _):
      let recipients = rows.compactMap { row in if case .member(_, let recipient) = row { recipient } else { nil } }
      return .next(
        ChunkWindow(lease: ack.lease, from: from, priorAttemptedTo: from, recipients: recipients))
    }
  }

  /// Where a chunk of ours stands; nil when it isn't ours any more.
  package func ackedTo(_ lease: ChunkLease) async throws(PostgresError) -> Int32? {
    try await pool.first(ReadAckedTo(lease: lease))
  }

  package func release(_ window: ChunkWindow) async throws(PostgresError) {
    _ = try await pool.run(ReleaseChunk(lease: window.lease, priorAttemptedTo: window.priorAttemptedTo))
  }

  /// True when this call completed the message.
  package func finish(_ message: OpenMessage) async throws(PostgresError) -> Bool {
    try await pool.first(FinishMessage(message: message)) ?? false
  }

  // MARK: Single deliveries

  package func appsWithSingles() async throws(PostgresError) -> [AppNumber] {
    try await pool.run(ListAppsWithSingles())
  }

  package func claimSingles(of app: AppNumber, limit: Int32) async throws(PostgresError) -> [ClaimedSingle] {
    try await pool.run(ClaimSingles(app: app, owner: owner, limit: limit, leaseSeconds: leaseSeconds))
  }

  /// The messages whose outcome was written now, and whether that completed them. The others' leases were lost, or an
  /// earlier try of this call had written them.
  package func ack(singles acks: [WindowAck]) async throws(PostgresError) -> [(
    message: MessageNumber, isCompleted: Bool
  )] {
    try await pool.run(AckSingles(acks: acks))
  }

  package func release(singles windows: [ChunkWindow]) async throws(PostgresError) {
    _ = try await pool.run(ReleaseSingles(windows: windows))
  }

  // MARK: Retries

  package func claimRetries(limit: Int32) async throws(PostgresError) -> [ClaimedRetry] {
    try await pool.run(ClaimRetries(owner: owner, limit: limit, leaseSeconds: leaseSeconds))
  }

  /// Writes the results of attempts, each under its own epoch.
  package func record(_ results: [RetryResult]) async throws {
    let owner = owner
    try await pool.transaction { transaction in
      for result in results.sorted(by: RetryResult.inLockOrder) {
        switch result.next {
        case .final(let outcome):
          _ = try await transaction.run(FinishRetry(result: result, owner: owner, outcome: outcome))
        case .again(let delay):
          _ = try await transaction.run(PostponeRetry(result: result, owner: owner, delayMilliseconds: delay))
        }
      }
    }
  }

  // MARK: Feedback and reasons

  /// The installations whose token changed its state.
  package func record(_ feedback: [TokenFeedback]) async throws(PostgresError) -> [InstallationNumber] {
    try await pool.run(RecordFeedback(feedback: feedback))
  }

  package func reasons() async throws(PostgresError) -> [String: OutcomeCode] {
    let rows = try await pool.run(ReadReasons())
    return Dictionary(rows.map { ($0.reason, $0.code) }, uniquingKeysWith: { first, _ in first })
  }

  package func addReason(_ reason: String) async throws(PostgresError) {
    _ = try await pool.run(AddReason(reason: reason))
  }

  package var circuits: CircuitStore { CircuitStore(pool: pool) }

  // MARK: Provider tokens

  package func providerToken(
    _ key: SealedAPNsKey
  ) async throws(PostgresError) -> (now: Timestamp, token: StoredProviderToken?)? {
    try await pool.first(ReadProviderToken(key: key))
  }

  /// False when another node replaced it first.
  package func replaceProviderToken(
    _ key: SealedAPNsKey, with token: StoredProviderToken
  ) async throws(PostgresError) -> Bool {
    try await pool.first(ReplaceProviderToken(key: key, token: token)) ?? false
  }

  // MARK: Sweeping

  /// How many chunks were closed.
  package func sweepChunks(limit: Int32) async throws(PostgresError) -> Int {
    try await pool.run(SweepChunks(limit: limit)).count
  }

  package func endOverduePlansAndRetries() async throws(PostgresError) {
    _ = try await pool.run(StopExpiredPlans())
    _ = try await pool.run(HastenRetries())
  }

  package func finishable() async throws(PostgresError) -> [OpenMessage] {
    try await pool.run(ListFinishable())
  }

  /// Makes the partitions of the coming days.
  package func housekeeping() async throws(PostgresError) {
    _ = try await pool.first(EnsurePartitions())
  }
}

extension RetryResult {
  fileprivate static func inLockOrder(_ left: RetryResult, _ right: RetryResult) -> Bool {
    let (a, b) = (left.address, right.address)
    return (a.app.value, a.message.value, a.chunk, a.index) < (b.app.value, b.message.value, b.chunk, b.index)
  }
}
