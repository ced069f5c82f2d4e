package import KitsCore
package import Postgres

/// Endpoints as their owners keep them, and the feed that anybody can read again.
package struct WebhookStore: Sendable {
  private let pool: ConnectionPool

  package init(pool: ConnectionPool) {
    self.pool = pool
  }

  package func create(
    _ webhook: NewWebhook, call: AuditedCall, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> NewWebhook.Answer {
    do {
      return try await pool.transaction(deadline: deadline) { transaction in
        _ = try await transaction.run(LockWebhooks(environment: webhook.environment))
        return try await transaction.run(CreateWebhook(webhook: webhook, call: call)).first ?? .full
      }
    } catch let error as PostgresError {
      throw error
    } catch {
      // `transaction` throws what its body throws, and that throws nothing else.
      throw .unavailable("\(error)")
    }
  }

  /// The newest first.
  package func list(
    environment: EnvironmentNumber, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> [Webhook] {
    try await pool.run(ReadWebhooks(environment: environment, id: nil), deadline: deadline)
  }

  package func read(
    environment: EnvironmentNumber, id: WebhookID, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Webhook? {
    try await pool.first(ReadWebhooks(environment: environment, id: id), deadline: deadline)
  }

  /// As it is afterwards; nil when there is none.
  package func change(
    environment: EnvironmentNumber, id: WebhookID, _ change: WebhookChange, call: AuditedCall,
    deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Webhook? {
    try await pool.first(
      ChangeWebhook(environment: environment, id: id, change: change, call: call), deadline: deadline)
  }

  /// Until when the secret before signs too; nil when there is none.
  package func rotate(
    environment: EnvironmentNumber, id: WebhookID, to secret: SealedWebhookSecret, call: AuditedCall,
    deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Timestamp? {
    try await pool.first(
      RotateWebhookSecret(environment: environment, id: id, secret: secret, call: call), deadline: deadline)
  }

  /// False when there is none.
  package func delete(
    environment: EnvironmentNumber, id: WebhookID, call: AuditedCall, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Bool {
    try await pool.first(DeleteWebhook(environment: environment, id: id, call: call), deadline: deadline) ?? false
  }

  /// What the endpoint didn't take, the oldest first.
  package func deliveries(
    environment: EnvironmentNumber, id: WebhookID, state: WebhookDelivery.State?, after: Int64, limit: Int32,
    deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> [WebhookDelivery] {
    try await pool.run(
      ListWebhookDeliveries(environment: environment, id: id, state: state, after: after, limit: limit),
      deadline: deadline)
  }

  /// How many are pending again; nil when there is no such endpoint.
  package func redeliver(
    environment: EnvironmentNumber, id: WebhookID, events: [EventID], call: AuditedCall,
    deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Int64? {
    try await pool.first(
      RedeliverWebhook(environment: environment, id: id, events: events, call: call), deadline: deadline)
  }

  /// A part of the feed, the oldest first.
  package func events(
    _ selection: EventSelection, limit: Int32, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> [FeedEvent] {
    try await pool.run(ReadEvents(selection: selection, limit: limit), deadline: deadline)
  }

  /// The number of the newest event.
  package func feedEnd(deadline: ContinuousClock.Instant) async throws(PostgresError) -> Int64 {
    try await pool.first(ReadFeedEnd(), deadline: deadline) ?? 0
  }
}
