package import KitsCore
package import Postgres

/// Installations and the owners of their push tokens.
package struct InstallationStore: Sendable {
  let pool: ConnectionPool
  private let registrations: Batcher<Registration, Registration.Answer>
  private let updates: Batcher<StateUpdate, StateUpdate.Answer>
  private let sessions: Batcher<SessionReport, SessionReport.Answer>
  let tags: Batcher<TagChange, TagChange.Answer>

  package init(pool: ConnectionPool) {
    self.pool = pool
    registrations = Batcher(
      name: "register", pool: pool,
      keys: { registration in
        let keys = [BatchKey.bytes(registration.keyHash)]
        return keys + Self.keys(of: registration.state, in: registration.publicKey)
      },
      tenant: { Int64(truncatingIfNeeded: $0.publicKey.hashValue) },
      bytes: { _ in 1_024 },
      perform: { batch, executor in
        var answers: [BatchResult<Registration.Answer>] = Array(repeating: .busy, count: batch.count)
        var losers: [SupersedeInstallations.Loser] = []
        for row in try await executor.run(RegisterInstallations(registrations: batch)) {
          guard case .answer(let index, let answer, let unsettled) = row else { continue }
          answers[index] = .answer(answer)
          if case .registered(let installation) = answer {
            losers += unsettled.map { .init(app: installation.appNumber, number: $0) }
          }
        }
        try await Self.supersede(losers, executor)
        return answers
      })
    updates = Batcher(
      name: "update_state", pool: pool,
      keys: { update in
        [BatchKey.int(update.number.value)] + Self.keys(of: update.state, in: "\(update.app.value)")
      },
      tenant: { $0.app.value },
      bytes: { _ in 1_024 },
      perform: { batch, executor in
        var answers: [BatchResult<StateUpdate.Answer>] = Array(repeating: .busy, count: batch.count)
        var losers: [SupersedeInstallations.Loser] = []
        for row in try await executor.run(UpdateInstallations(updates: batch)) {
          guard case .answer(let index, let answer, let unsettled) = row else { continue }
          answers[index] = .answer(answer)
          losers += unsettled.map { .init(app: batch[index].app, number: $0) }
        }
        try await Self.supersede(losers, executor)
        return answers
      })
    sessions = Self.sessionBatcher(pool)
    tags = Self.tagBatcher(pool)
  }

  private static func sessionBatcher(_ pool: ConnectionPool) -> Batcher<SessionReport, SessionReport.Answer> {
    Batcher(
      name: "sessions", pool: pool,
      keys: { [.int($0.installation.value)] },
      tenant: { $0.app.value },
      bytes: { _ in 128 },
      perform: { batch, executor in
        var answers: [BatchResult<SessionReport.Answer>] = Array(repeating: .busy, count: batch.count)
        for row in try await executor.run(RecordSessions(reports: batch)) {
          if case .answer(let index, let answer) = row { answers[index] = .answer(answer) }
        }
        return answers
      })
  }

  /// What at most one request of a batch may bring.
  private static func keys(of state: DesiredState, in app: String) -> [BatchKey] {
    var keys: [BatchKey] = []
    if case .set(let token) = state.pushToken { keys.append(.string(token.text, space: 1)) }
    if case .set(let sources) = state.identifiers, case .set(let guid)? = sources[.guid], let hash = guid.hash {
      keys.append(.string("\(app) \(hash)", space: 2))
    }
    return keys
  }

  /// Rare: reinstalls that met one another, or a batch of another node.
  private static func supersede(
    _ losers: [SupersedeInstallations.Loser], _ executor: any BatchExecutor
  ) async throws(PostgresError) {
    guard !losers.isEmpty else { return }
    _ = try await executor.execute(SupersedeInstallations(installations: losers))
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

  package func record(
    _ report: SessionReport, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> SessionReport.Answer {
    try await sessions.submit(report, deadline: deadline)
  }

  /// By device token; nil when the generation is old or the installation is gone.
  package func read(
    app: AppNumber, number: InstallationNumber, generation: Int32, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Installation? {
    let statement = ReadOwnInstallation(app: app, number: number, generation: generation)
    return try await pool.first(statement, deadline: deadline)
  }

  /// By server key, with the policy that ranks its identifiers; nil when no app of the environment has it.
  package func ranked(
    environment: EnvironmentNumber, id: InstallationID, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> (policy: IdentifierPolicy, installation: Installation)? {
    try await pool.first(ReadEnvironmentInstallation(environment: environment, id: id), deadline: deadline)
  }

  package func read(
    environment: EnvironmentNumber, id: InstallationID, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> Installation? {
    try await ranked(environment: environment, id: id, deadline: deadline)?.installation
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
