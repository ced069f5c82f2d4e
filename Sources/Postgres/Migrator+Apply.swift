extension Migrator {
  /// Repeats while another session holds a lock that it needs.
  func apply(_ migration: Migration, _ checksum: String, _ connection: Connection) async throws(MigrationError) {
    observe(.applying(version: migration.version, name: migration.name))
    let start = ContinuousClock.now
    for attempt in 1... {
      do throws(MigrationError) {
        if migration.runsInTransaction {
          try await applyInTransaction(migration, checksum, connection, start)
        } else {
          try await applyAlone(migration, checksum, connection, start)
        }
        observe(.applied(version: migration.version, milliseconds: milliseconds(since: start)))
        return
      } catch {
        guard case .failed(_, let cause) = error, cause.sqlState == "55P03", attempt < lockAttempts else { throw error }
        observe(.retrying(version: migration.version))
        do { try await Task.sleep(for: pollInterval) } catch { throw .database(.cancelled) }
      }
    }
  }

  private func applyInTransaction(
    _ migration: Migration, _ checksum: String, _ connection: Connection, _ start: ContinuousClock.Instant
  ) async throws(MigrationError) {
    do throws(PostgresError) {
      let deadline = ContinuousClock.now + statementTimeout
      try await connection.begin("", until: deadline)
      try await connection.script("SET LOCAL lock_timeout = \(lockTimeoutMilliseconds)", label: "SET", until: deadline)
      let before = try await connection.run(SelectTransaction.self, Command(SelectTransaction()), until: deadline)
      try await connection.script(migration.sql, label: label(migration), until: deadline)
      let after = try await connection.run(SelectTransaction.self, Command(SelectTransaction()), until: deadline)
      guard await connection.isInsideTransaction, before == after else {
        await connection.rollback(until: .now + configuration.cancelGrace)
        throw .batch("COMMIT or ROLLBACK inside a migration")
      }
      let record = InsertMigration(migration, checksum, milliseconds: milliseconds(since: start))
      _ = try await connection.execute(Command(record), until: deadline)
      try await connection.commit(until: deadline)
    } catch {
      await connection.rollback(until: .now + configuration.cancelGrace)
      if case .batch = error { throw .endedTransaction(version: migration.version) }
      throw .failed(version: migration.version, error)
    }
  }

  /// Exactly one statement (the extended protocol refuses more), which commits by itself. If the process dies
  /// before the record is written it runs again, so it must be written with IF NOT EXISTS or the like.
  private func applyAlone(
    _ migration: Migration, _ checksum: String, _ connection: Connection, _ start: ContinuousClock.Instant
  ) async throws(MigrationError) {
    try await dropInvalidIndex(of: migration, connection)
    do throws(PostgresError) {
      let deadline = ContinuousClock.now + statementTimeout
      try await connection.script("SET lock_timeout = \(lockTimeoutMilliseconds)", label: "SET", until: deadline)
      _ = try await connection.execute(Command(label: label(migration), sql: migration.sql), until: deadline)
      let record = InsertMigration(migration, checksum, milliseconds: milliseconds(since: start))
      _ = try await connection.execute(Command(record), until: deadline)
    } catch {
      throw .failed(version: migration.version, error)
    }
  }

  private func dropInvalidIndex(of migration: Migration, _ connection: Connection) async throws(MigrationError) {
    guard let name = migration.concurrentIndex else { return }
    guard try await ask(connection, FindInvalidIndex(name: name)).first != nil else { return }
    // The name is the migration's own text, and it names an existing index.
    try await script(connection, "DROP INDEX CONCURRENTLY IF EXISTS \(name)")
    observe(.droppedInvalidIndex(name))
  }

  private func label(_ migration: Migration) -> String { "migration \(migration.version)" }

  private func milliseconds(since start: ContinuousClock.Instant) -> Int {
    Int((ContinuousClock.now - start) / .milliseconds(1))
  }
}
