/// Brings a database forward, one process at a time, strictly in order. Others that start meanwhile wait by
/// polling: waiting inside PostgreSQL would hold a snapshot, and CREATE INDEX CONCURRENTLY waits for all snapshots.
package struct Migrator: Sendable {
  package var configuration: PoolConfiguration
  package let migrations: [Migration]
  /// How long to wait for another process that migrates.
  package var lockPatience: Duration = .seconds(300)
  /// For one migration; an index on a large table takes its time.
  package var statementTimeout: Duration = .seconds(3600)
  /// Requests queue behind a migration that waits for a lock, so it waits briefly and often instead.
  package var lockTimeoutMilliseconds = 2000
  package var lockAttempts = 30
  package var pollInterval: Duration = .milliseconds(200)
  let observe: @Sendable (MigrationEvent) -> Void

  package init(
    url: String, migrations: [Migration], observe: @escaping @Sendable (MigrationEvent) -> Void = { _ in }
  ) throws(MigrationError) {
    configuration = PoolConfiguration(url: url)
    configuration.settings = [("timezone", "UTC"), ("idle_in_transaction_session_timeout", "60s")]
    self.migrations = try Migration.ordered(migrations)
    self.observe = observe
  }

  /// What a program that carries these migrations needs.
  package static func requiredVersion(in migrations: [Migration]) -> Int { migrations.map(\.version).max() ?? 0 }

  /// The newest applied version, 0 for a database that was never migrated.
  package static func currentVersion(_ pool: ConnectionPool) async throws(PostgresError) -> Int {
    guard try await pool.first(FindMigrationTable()) == true else { return 0 }
    return Int(try await pool.first(SelectNewestMigration()) ?? 0)
  }

  /// Applies what is missing and answers the versions it applied.
  package func migrate() async throws(MigrationError) -> [Int] {
    let connection = try await opened()
    let result: Result<[Int], MigrationError>
    do throws(MigrationError) {
      try await takeLock(connection)
      result = .success(try await applyMissing(connection))
    } catch {
      result = .failure(error)
    }
    // The session's advisory lock goes with it.
    await connection.close()
    return try result.get()
  }

  private func opened() async throws(MigrationError) -> Connection {
    do throws(PostgresError) {
      let connection = try Connection(configuration)
      try await connection.open()
      return connection
    } catch {
      throw .database(error)
    }
  }

  private func takeLock(_ connection: Connection) async throws(MigrationError) {
    let end = ContinuousClock.now + lockPatience
    var isFirst = true
    while true {
      if try await ask(connection, TryMigrationLock()).first == true { return }
      if isFirst { observe(.waitingForLock) }
      isFirst = false
      guard ContinuousClock.now < end else { throw .locked }
      do { try await Task.sleep(for: pollInterval) } catch { throw .database(.cancelled) }
    }
  }

  private func applyMissing(_ connection: Connection) async throws(MigrationError) -> [Int] {
    try await script(connection, Self.tableSQL)
    let checksums = try await ask(connection, HashTexts(texts: migrations.map { Array($0.sql.utf8) }))
    let applied = try await ask(connection, SelectMigrations())
    try Self.check(migrations, applied, checksums)
    let newest = applied.last.map { Int($0.version) } ?? 0
    var done: [Int] = []
    for (migration, checksum) in zip(migrations, checksums) where migration.version > newest {
      try await apply(migration, checksum, connection)
      done.append(migration.version)
    }
    return done
  }

  func ask<S: Statement>(_ connection: Connection, _ statement: S) async throws(MigrationError) -> [S.Row] {
    do throws(PostgresError) {
      return try await connection.run(S.self, Command(statement), until: .now + statementTimeout)
    } catch {
      throw .database(error)
    }
  }

  func script(_ connection: Connection, _ sql: String) async throws(MigrationError) {
    do throws(PostgresError) {
      try await connection.script(sql, label: "migration", until: .now + statementTimeout)
    } catch {
      throw .database(error)
    }
  }
}
