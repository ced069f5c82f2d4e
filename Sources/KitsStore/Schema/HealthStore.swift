package import Postgres

/// What tells whether the database is fit to work with, and how the work in it stands. For probes and metrics, never
/// for decisions.
package struct HealthStore: Sendable {
  let pool: ConnectionPool

  package init(pool: ConnectionPool) {
    self.pool = pool
  }

  package func standing() async throws(PostgresError) -> Schema.Standing {
    try await Schema.standing(of: pool)
  }

  /// Whether the partitions of today and tomorrow exist: without them a message can't be planned.
  package func hasPartitions() async throws(PostgresError) -> Bool {
    try await pool.first(FindPartitions()) ?? false
  }

  package func backlog(deadline: ContinuousClock.Instant) async throws(PostgresError) -> Backlog? {
    try await pool.first(ReadBacklog(), deadline: deadline)
  }

  package func webhookBacklog(deadline: ContinuousClock.Instant) async throws(PostgresError) -> WebhookBacklog? {
    try await pool.first(ReadWebhookLag(), deadline: deadline)
  }

  /// How many messages that settled lately have a ledger that doesn't add up, or more events than deliveries. Anything
  /// but 0 is a bug.
  package func ledgerMismatches(deadline: ContinuousClock.Instant) async throws(PostgresError) -> Int {
    Int(try await pool.first(CountLedgerMismatches(), deadline: deadline) ?? 0)
  }
}

/// What is still to be done, over all nodes.
package struct Backlog: Sendable, Equatable {
  /// Messages of which something is pending.
  package let messages: Int64
  /// Age of the oldest of them.
  package let oldestMilliseconds: Int64
  /// Recipients that are planned and have no outcome yet, retries apart.
  package let deliveries: Int64
  /// Deliveries that wait for another attempt.
  package let retries: Int64
  /// Apps that are paused, each APNs environment counted.
  package let pauses: Int64
  /// Messages that wait for their time.
  package let scheduled: Int64
  /// How late the latest of them is.
  package let overdueMilliseconds: Int64
  /// How long the chunk that waits longest could have been taken: it is due, nobody has it, its app isn't paused.
  package let lateMilliseconds: Int64
}
