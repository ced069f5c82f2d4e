package import KitsCore
package import Postgres

/// Installations and the owners of their push tokens.
package struct InstallationStore: Sendable {
  private let pool: ConnectionPool
  private let registrations: Batcher<Registration, Registration.Answer>
  private let updates: Batcher<StateUpdate, StateUpdate.Answer>

  package init(pool: ConnectionPool) {
    self.pool = pool
    registrations = Batcher(
      name: "register", pool: pool,
      keys: { registration in
        var keys = [BatchKey.bytes(registration.keyHash)]
        if case .set(let token) = registration.state.pushToken { keys.append(.string(token.text, space: 1)) }
        return keys
      },
      tenant: { Int64(truncatingIfNeeded: $0.publicKey.hashValue) },
      bytes: { _ in 1_024 },
      perform: { batch, executor in
        var answers: [BatchResult<Registration.Answer>] = Array(repeating: .busy, count: batch.count)
        for row in try await executor.run(RegisterInstallations(registrations: batch)) {
          if case .answer(let index, let answer) = row { answers[index] = .answer(answer) }
        }
        return answers
      })
    updates = Batcher(
      name: "update_state", pool: pool,
      keys: { update in
        var keys = [BatchKey.int(update.number.value)]
        if case .set(let token) = update.state.pushToken { keys.append(.string(token.text, space: 1)) }
        return keys
      },
      tenant: { $0.app.value },
      bytes: { _ in 1_024 },
      perform: { batch, executor in
        var answers: [BatchResult<StateUpdate.Answer>] = Array(repeating: .busy, count: batch.count)
        for row in try await executor.run(UpdateInstallations(updates: batch)) {
          if case .answer(let index, let answer) = row { answers[index] = .answer(answer) }
        }
        return answers
      })
  }

  package func register(
    _ registration: Registration, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Registration.Answer {
    try await registrations.submit(registration, deadline: deadline)
  }

  /// What a registration's key alone decides, for a body that can't be registered.
  package func earlierRegistration(
    publicKey: String, keyHash: [UInt8]?, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Registration.Earlier {
    try await pool.first(FindRegistration(publicKey: publicKey, keyHash: keyHash), deadline: deadline)
      ?? .unknownPublicKey
  }

  package func update(
    _ update: StateUpdate, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> StateUpdate.Answer {
    try await updates.submit(update, deadline: deadline)
  }

  /// By device token; nil when the generation is old or the installation is gone.
  package func read(
    app: AppNumber, number: InstallationNumber, generation: Int32, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Installation? {
    let statement = ReadOwnInstallation(app: app, number: number, generation: generation)
    return try await pool.first(statement, deadline: deadline)
  }

  /// By server key; nil when no app of the environment has it.
  package func read(
    environment: EnvironmentNumber, id: InstallationID, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Installation? {
    try await pool.first(ReadEnvironmentInstallation(environment: environment, id: id), deadline: deadline)
  }

  /// By device token. False when the token is of an older generation; deleting what is gone is true.
  package func delete(
    app: AppNumber, number: InstallationNumber, generation: Int32, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Bool {
    let statement = DeleteOwnInstallation(app: app, number: number, generation: generation)
    let row = try await pool.first(statement, deadline: deadline)
    return row.map { $0.deleted || !$0.existed } ?? true
  }

  /// By server key. False when no app of the environment has it.
  package func delete(
    environment: EnvironmentNumber, id: InstallationID, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Bool {
    try await pool.first(DeleteEnvironmentInstallation(environment: environment, id: id), deadline: deadline) ?? false
  }
}
