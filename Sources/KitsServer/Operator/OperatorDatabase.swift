internal import Crypto
internal import KitsStore
internal import Postgres

/// The database as a command uses it: opened for one command, on a schema that fits, failures as sentences.
enum OperatorDatabase {
  /// - Parameter ring: the keys of a command that seals secrets: nothing is done when they aren't the database's.
  static func use<Value: Sendable>(
    _ database: Config.Database, ring: KeyRing? = nil, _ body: (ConnectionPool) async throws(PostgresError) -> Value
  ) async throws(CommandFailure) -> Value {
    var configuration = PoolConfiguration(url: database.url.reveal())
    configuration.size = 1
    let pool = ConnectionPool(configuration)
    let result: Result<Value, CommandFailure>
    do throws(PostgresError) {
      if let refusal = try await refusal(pool, ring) {
        result = .failure(refusal)
      } else {
        result = .success(try await body(pool))
      }
    } catch {
      result = .failure(.database(error))
    }
    await pool.close()
    return try result.get()
  }

  private static func refusal(_ pool: ConnectionPool, _ ring: KeyRing?) async throws(PostgresError) -> CommandFailure? {
    if let refusal = CommandFailure.standing(try await Schema.standing(of: pool)) { return refusal }
    guard let ring else { return nil }
    return CommandFailure.masterKeys(try await MasterKeyGuard(ring: ring).settle(in: MasterKeyStore(pool: pool)))
  }
}

extension CommandFailure {
  /// Nil when this program and the schema fit.
  static func standing(_ standing: Schema.Standing) -> CommandFailure? {
    switch standing {
    case .current: nil
    case .older(let version):
      .refused("the database has schema \(version), this program needs \(Schema.required): run `kits migrate`")
    case .newer(let version):
      .refused(
        "the database has schema \(version), made by a newer kits than this one (schema \(Schema.required)): update it")
    }
  }

  /// No case of the error holds a value of a row, and libpq's reasons hold no password.
  static func database(_ error: PostgresError) -> CommandFailure {
    switch error {
    case .unavailable(let reason):
      .unavailable("the database can't be reached: \(LogText.escaped(CredentialMask.masked(reason)))")
    case .outcomeUnknown:
      .unavailable("the connection to the database broke: it is unknown whether the change was made")
    case .deadline, .overloaded, .cancelled: .unavailable("the database did not answer in time")
    case .server(let refusal):
      .refused(
        "the database refused \(refusal.statement): \(refusal.message.map(LogText.escaped) ?? "") (\(refusal.sqlState))"
      )
    case .decode, .parameter, .batch: .refused("unexpected answer of the database: \(error)")
    }
  }
}
