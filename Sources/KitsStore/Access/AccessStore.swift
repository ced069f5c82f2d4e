package import KitsCore
package import Postgres

/// Projects, environments, apps and server keys: who may call.
package struct AccessStore: Sendable {
  private let pool: ConnectionPool
  private let keys: Batcher<[UInt8], ServerKeyPrincipal?>

  package init(pool: ConnectionPool) {
    self.pool = pool
    keys = Batcher(
      name: "server_keys", pool: pool, keys: { _ in [] }, tenant: { _ in 0 }, bytes: { $0.count },
      perform: { hashes, executor in
        var answers: [BatchResult<ServerKeyPrincipal?>] = Array(repeating: .answer(nil), count: hashes.count)
        for (index, principal) in try await executor.run(AuthenticateServerKeys(hashes: hashes)) {
          answers[index] = .answer(principal)
        }
        return answers
      })
  }

  /// The principal of a server key's SHA-256; nil when there is none or it was revoked.
  package func authenticate(
    serverKeyHash: [UInt8], deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> ServerKeyPrincipal? {
    try await keys.submit(serverKeyHash, deadline: deadline)
  }

  package func app(
    publicKey: String, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> (now: Timestamp, app: AppRecord)? {
    try await pool.first(ReadAppByPublicKey(publicKey: publicKey), deadline: deadline)
  }

  package func apps(environment: EnvironmentID?) async throws(PostgresError) -> [AppRecord] {
    try await pool.run(ListApps(environment: environment))
  }

  package func createProject(
    _ project: ProjectID, name: String, environment: EnvironmentID, environmentName: String, by call: AuditedCall
  ) async throws(PostgresError) {
    _ = try await pool.run(
      CreateProject(
        project: project, environment: environment, name: name, environmentName: environmentName, call: call))
  }

  /// False when the environment doesn't exist.
  package func createApp(_ app: NewApp, by call: AuditedCall) async throws(PostgresError) -> Bool {
    try await pool.first(CreateApp(app: app, call: call)) != nil
  }

  /// False when there is no such iOS app.
  package func setKey(_ key: SealedAPNsKey, of app: AppID, by call: AuditedCall) async throws(PostgresError) -> Bool {
    try await pool.first(SetAPNsKey(app: app, key: key, call: call)) != nil
  }

  /// False when the environment doesn't exist, or the key's role exceeds the caller's.
  package func createServerKey(_ key: NewServerKey, by call: AuditedCall) async throws(PostgresError) -> Bool {
    try await pool.first(CreateServerKey(key: key, call: call)) != nil
  }

  /// Nil when the environment doesn't exist.
  package func serverKeys(environment: EnvironmentID) async throws(PostgresError) -> [ServerKeyRecord]? {
    let keys = try await pool.run(ListServerKeys(environment: environment))
    if keys.isEmpty, try await pool.first(FindEnvironment(environment: environment)) == nil { return nil }
    return keys
  }

  /// False when there is no such key.
  package func revokeServerKey(_ id: ServerKeyID, by call: AuditedCall) async throws(PostgresError) -> Bool {
    try await pool.first(RevokeServerKey(id: id, call: call)) != nil
  }
}
