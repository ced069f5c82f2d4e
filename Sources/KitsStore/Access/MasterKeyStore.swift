package import Postgres

/// What tells the master keys that a database was used with from others.
package struct MasterKeyStore: Sendable {
  private let pool: ConnectionPool

  package init(pool: ConnectionPool) {
    self.pool = pool
  }

  package func checks() async throws(PostgresError) -> [MasterKeyCheck] {
    try await pool.run(ListMasterKeyChecks())
  }

  /// One sealed APNs key for every master key that has no check yet: databases that are older than the checks.
  package func unchecked() async throws(PostgresError) -> [SealedAPNsKey] {
    try await pool.run(ListUncheckedAPNsKeys())
  }

  /// Adds what isn't there; what is there stays.
  package func add(_ checks: [MasterKeyCheck]) async throws(PostgresError) {
    _ = try await pool.run(AddMasterKeyChecks(checks: checks))
  }
}

/// A master key's id and what only the holder of that key can compute.
package struct MasterKeyCheck: Sendable, Equatable {
  package let id: String
  package let value: [UInt8]

  package init(id: String, value: [UInt8]) {
    self.id = id
    self.value = value
  }
}
