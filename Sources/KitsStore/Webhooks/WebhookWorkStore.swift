import KitsCore
package import Postgres

/// The sending half's view of endpoints. `owner` marks its leases.
package struct WebhookWorkStore: Sendable {
  private let pool: ConnectionPool
  private let owner: Int64
  private let leaseSeconds: Int32

  package init(pool: ConnectionPool, owner: Int64, leaseSeconds: Int32) {
    self.pool = pool
    self.owner = owner
    self.leaseSeconds = leaseSeconds
  }

  /// How many events got their number.
  package func numberEvents(limit: Int32) async throws(PostgresError) -> Int64 {
    try await pool.first(NumberEvents(limit: limit)) ?? 0
  }

  /// Nil when nobody waits.
  package func claim() async throws(PostgresError) -> WebhookClaim? {
    try await pool.first(ClaimWebhook(owner: owner, leaseSeconds: leaseSeconds))
  }

  /// False: nothing more may be sent under the claim.
  package func renew(_ claim: WebhookClaim) async throws(PostgresError) -> Bool {
    try await pool.first(RenewWebhook(claim: claim, owner: owner, leaseSeconds: leaseSeconds)) ?? false
  }

  /// The same question without keeping it any longer.
  package func holds(_ claim: WebhookClaim) async throws(PostgresError) -> Bool {
    try await pool.first(CheckWebhook(claim: claim, owner: owner)) ?? false
  }

  package func release(_ claim: WebhookClaim) async throws(PostgresError) {
    _ = try await pool.run(ReleaseWebhook(claim: claim, owner: owner))
  }

  /// What has to be asked again, in the order of the feed.
  package func due(_ claim: WebhookClaim, limit: Int32) async throws(PostgresError) -> WebhookBatch {
    WebhookBatch(
      tasks: try await pool.run(ReadDueWebhookTasks(webhook: claim.webhook, limit: limit)), upTo: nil)
  }

  /// What is new, in the order of the feed.
  package func new(_ claim: WebhookClaim, limit: Int32) async throws(PostgresError) -> WebhookBatch {
    let rows = try await pool.run(ReadNewWebhookTasks(webhook: claim.webhook, limit: limit))
    return WebhookBatch(tasks: rows.compactMap(\.task), upTo: rows.first?.upTo)
  }

  /// False when the lease was lost.
  package func record(_ turn: WebhookTurn) async throws(PostgresError) -> Bool {
    try await pool.first(RecordWebhookTurn(turn: turn, owner: owner, leaseSeconds: leaseSeconds)) ?? false
  }
}

/// How endpoints stand, over all nodes.
package struct WebhookBacklog: Sendable, Equatable {
  /// Age of the oldest event that an endpoint has not taken.
  package let lagMilliseconds: Int64
  package let pending: Int64
  package let dead: Int64
}
