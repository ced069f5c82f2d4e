package import KitsCore
package import Postgres

/// Who the user of an installation is: bindings, the operations that changed them, and why proofs were refused.
package struct IdentityStore: Sendable {
  private let pool: ConnectionPool
  private let operations: Batcher<IdentityOperation, IdentityAnswer>

  package init(pool: ConnectionPool) {
    self.pool = pool
    operations = Batcher(
      name: "identity", pool: pool,
      // Devices and backends name the same installation by the same id.
      keys: { [.uuid($0.installation.uuid)] },
      tenant: { $0.caller.tenant },
      bytes: { _ in 1_024 },
      perform: { batch, executor in
        var answers: [BatchResult<IdentityAnswer>] = Array(repeating: .busy, count: batch.count)
        for row in try await executor.run(ApplyIdentityOperations(operations: batch)) {
          if case .answer(let index, let answer) = row { answers[index] = .answer(answer) }
        }
        return answers
      })
  }

  package func apply(
    _ operation: IdentityOperation, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> IdentityAnswer {
    try await operations.submit(operation, deadline: deadline)
  }

  /// By device token; nil when the generation is old or the installation is gone.
  package func read(
    app: AppNumber, number: InstallationNumber, generation: Int32, operation: IdentityOperationID?,
    deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> IdentityView? {
    let statement = ReadOwnIdentity(app: app, number: number, generation: generation, operation: operation)
    return try await pool.first(statement, deadline: deadline)
  }

  /// By server key; nil when no app of the environment has it.
  package func read(
    environment: EnvironmentNumber, id: InstallationID, operation: IdentityOperationID?,
    deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> IdentityView? {
    let statement = ReadEnvironmentIdentity(environment: environment, id: id, operation: operation)
    return try await pool.first(statement, deadline: deadline)
  }

  package func home(
    of app: AppNumber, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> AppHome? {
    try await pool.first(FindAppHome(app: app), deadline: deadline)
  }

  /// The SPKI of a key, revoked or not.
  package func key(
    _ keyID: String, of environment: EnvironmentNumber, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> [UInt8]? {
    try await pool.first(FindIdentityKey(environment: environment, keyID: keyID), deadline: deadline)
  }

  /// Refused proofs of the last days; today is one.
  package func rejections(days: Int32) async throws(PostgresError) -> [RejectionCount] {
    try await pool.run(ListRejections(days: days))
  }
}
