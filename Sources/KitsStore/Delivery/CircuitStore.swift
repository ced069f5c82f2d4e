package import KitsCore
package import Postgres

/// Pauses of apps: the circuit breaker's and an operator's, one row per app and APNs environment.
package struct CircuitStore: Sendable {
  private let pool: ConnectionPool

  package init(pool: ConnectionPool) {
    self.pool = pool
  }

  // MARK: The breaker

  /// How the circuit stands, and which of the suspects worked before.
  package func examine(
    _ place: CircuitPlace, suspects: [InstallationNumber]
  ) async throws(PostgresError) -> CircuitStanding {
    let found = try await pool.first(ExamineSuspects(place: place, suspects: suspects))
    return found ?? CircuitStanding(isOpen: false, epoch: 0, proven: [])
  }

  /// Opens the circuit if nothing changed since it was looked at, and remembers the suspects whoever opened it.
  /// True when this call opened it.
  package func open(
    _ place: CircuitPlace, expecting epoch: Int32, _ reason: PauseReason, detail: String?, suspects: [CircuitSuspect]
  ) async throws(PostgresError) -> Bool {
    if try await pool.first(OpenCircuit(place: place, epoch: epoch, reason: reason, detail: detail)) != nil {
      try await remember(suspects, of: place)
      return true
    }
    try await remember(suspects, of: place)
    return false
  }

  /// For resuming to lift; does nothing while the circuit is closed.
  package func remember(_ suspects: [CircuitSuspect], of place: CircuitPlace) async throws(PostgresError) {
    guard !suspects.isEmpty else { return }
    _ = try await pool.run(RememberSuspects(place: place, suspects: suspects))
  }

  // MARK: Operators

  /// What is paused in an app, after pausing it; a pause that is there already keeps its reason. Nil when the
  /// environment has no such app; a nil environment means any.
  package func pause(
    _ app: AppID, of environment: EnvironmentNumber?, _ apnsEnvironments: [APNsEnvironment], detail: String?,
    by call: AuditedCall, deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> [AppPause]? {
    let statement = PauseApp(
      app: app, environment: environment, apnsEnvironments: apnsEnvironments, detail: detail, call: call)
    _ = try await pool.run(statement, deadline: deadline)
    return try await pauses(of: app, in: environment, deadline: deadline)
  }

  /// Lets an app go on: what its pause refused is due at once, and unless `keepSuspects`, tokens that the pause took
  /// out of use are active again. Nil when the environment has no such app.
  package func resume(
    _ app: AppID, of environment: EnvironmentNumber?, _ apnsEnvironments: [APNsEnvironment], keepSuspects: Bool,
    by call: AuditedCall, deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> (resumed: Resumption, pauses: [AppPause])? {
    let statement = ResumeApp(
      app: app, environment: environment, apnsEnvironments: apnsEnvironments, keepSuspects: keepSuspects,
      call: call)
    let resumed = try await pool.first(statement, deadline: deadline) ?? Resumption(circuits: 0, tokens: 0, retries: 0)
    guard let pauses = try await pauses(of: app, in: environment, deadline: deadline) else { return nil }
    return (resumed: resumed, pauses: pauses)
  }

  /// Nil when the environment has no such app.
  package func pauses(
    of app: AppID, in environment: EnvironmentNumber?, deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> [AppPause]? {
    let rows = try await pool.run(ListPauses(app: app, environment: environment), deadline: deadline)
    return rows.isEmpty ? nil : rows.compactMap(\.pause)
  }

  /// Of all apps.
  package func pauses() async throws(PostgresError) -> [AppID: [AppPause]] {
    var pauses: [AppID: [AppPause]] = [:]
    for row in try await pool.run(ListPauses(app: nil, environment: nil)) {
      if let pause = row.pause { pauses[row.app, default: []].append(pause) }
    }
    return pauses
  }
}
