package import KitsCore
package import Postgres

/// Request signing of apps: the mode, the window and the secrets.
package struct SigningStore: Sendable {
  private let pool: ConnectionPool

  package init(pool: ConnectionPool) {
    self.pool = pool
  }

  package func read(
    app: AppNumber, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> SigningRecord? {
    try await pool.first(ReadSigningOfApp(app: app), deadline: deadline)
  }

  package func read(
    publicKey: String, deadline: ContinuousClock.Instant
  ) async throws(PostgresError) -> SigningRecord? {
    try await pool.first(ReadSigningOfPublicKey(publicKey: publicKey), deadline: deadline)
  }

  /// Nil when the environment (any, without one) has no such app. So for all that follow.
  package func find(
    _ app: AppID, of environment: EnvironmentNumber?, deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> SigningRecord? {
    try await pool.first(FindSigning(app: app, environment: environment), deadline: deadline)
  }

  /// What `find` answers, written down as shown.
  package func reveal(
    _ app: AppID, of environment: EnvironmentNumber?, by call: AuditedCall, deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> SigningRecord? {
    try await pool.first(RevealSigningSecrets(app: app, environment: environment, call: call), deadline: deadline)
  }

  /// False when the app has a secret already, or there is no such app.
  package func create(
    _ secret: NewSigningSecret, for app: AppID, of environment: EnvironmentNumber?, by call: AuditedCall,
    deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> Bool {
    let statement = CreateSigningSecret(app: app, environment: environment, secret: secret, call: call)
    return try await pool.first(statement, deadline: deadline) ?? false
  }

  /// False when the current secret isn't the one below `secret`'s number.
  package func rotate(
    to secret: NewSigningSecret, for app: AppID, of environment: EnvironmentNumber?, by call: AuditedCall,
    deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> Bool {
    let statement = RotateSigningSecret(app: app, environment: environment, secret: secret, call: call)
    return try await pool.first(statement, deadline: deadline) ?? false
  }

  /// False when there is no replaced secret that is still good.
  package func revokePrevious(
    of app: AppID, of environment: EnvironmentNumber?, by call: AuditedCall, deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> Bool {
    let statement = RevokePreviousSigningSecret(app: app, environment: environment, call: call)
    return try await pool.first(statement, deadline: deadline) ?? false
  }

  /// False when a secret would be needed and there is none.
  package func change(
    _ app: AppID, of environment: EnvironmentNumber?, mode: SigningMode?, bucketSeconds: Int32?,
    by call: AuditedCall, deadline: ContinuousClock.Instant? = nil
  ) async throws(PostgresError) -> Bool? {
    let statement = ChangeSigning(
      app: app, environment: environment, mode: mode, bucketSeconds: bucketSeconds, call: call)
    return try await pool.first(statement, deadline: deadline)
  }
}
