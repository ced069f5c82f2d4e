package import KitsCore
package import Postgres

/// The audit log. Changes are written by the statements that make them; here are the refusals, and reading.
package struct AuditStore: Sendable {
  private let pool: ConnectionPool

  package init(pool: ConnectionPool) {
    self.pool = pool
  }

  package func record(
    _ refusal: AuditRefusal, deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) {
    _ = try await pool.run(RecordRefusal(refusal: refusal), deadline: deadline)
  }

  /// Newest first.
  package func entries(_ selection: AuditSelection) async throws(PostgresError) -> [AuditEntry] {
    try await pool.run(ListAudit(selection: selection))
  }
}
