internal import KitsStore
internal import Postgres

/// The database server and the schema.
struct DatabaseChecks: Sendable {
  let health: HealthStore
  /// A transaction that is older than this is worth a look.
  static let longTransactionSeconds: Int32 = 300

  static func unreachable(_ error: PostgresError) -> Finding {
    .problem(
      "database.reachable", CommandFailure.database(error).message,
      why: "All state is in the database: without it nothing is answered and nothing is sent.",
      todo: "Start PostgreSQL, or correct KITS_DATABASE_URL; `psql \"$KITS_DATABASE_URL\"` must work from here.")
  }

  static func judge(_ server: ServerDiagnosis, connectionsWanted: Int) -> [Finding] {
    var findings = [Finding.fine("database.reachable", "PostgreSQL \(server.version) answers")]
    if server.isStandby {
      findings.append(
        .problem(
          "database.primary", "the server is a standby",
          why: "It takes no writes, so nothing can be registered or sent.",
          todo: "Name the primary in KITS_DATABASE_URL, or all hosts with target_session_attrs=read-write."))
    }
    findings += durability(server)
    let free = Int64(server.connectionLimit) - server.connections
    if free < Int64(connectionsWanted) {
      findings.append(
        .warning(
          "database.connections",
          "\(server.connections) of \(server.connectionLimit) connections are taken; a node wants \(connectionsWanted)",
          why: "A node that gets none answers 503 and sends nothing.",
          todo: "Raise max_connections, or lower KITS_DATABASE_CONNECTIONS on the nodes."))
    } else {
      findings.append(
        .fine("database.connections", "\(server.connections) of \(server.connectionLimit) connections are taken"))
    }
    return findings
  }

  private static func durability(_ server: ServerDiagnosis) -> [Finding] {
    var findings: [Finding] = []
    if server.synchronousCommit == "off" {
      findings.append(
        .problem(
          "database.synchronous_commit", "synchronous_commit is off",
          why: "A crash of the server loses what was acknowledged last: pushes can be sent twice or not at all.",
          todo: "Set synchronous_commit = on and reload PostgreSQL."))
    }
    for (name, value) in [("fsync", server.fsync), ("full_page_writes", server.fullPageWrites)] where value == "off" {
      findings.append(
        .problem(
          "database.\(name)", "\(name) is off",
          why: "A power failure can destroy the whole database.", todo: "Set \(name) = on and reload PostgreSQL."))
    }
    if findings.isEmpty { findings.append(.fine("database.durability", "commits survive a crash")) }
    return findings
  }

  /// And whether the tables are those that this program works on.
  func schema() async -> (findings: [Finding], isCurrent: Bool) {
    do throws(PostgresError) {
      switch try await health.standing() {
      case .current: break
      case .older(let version):
        let finding = Finding.problem(
          "schema.version", "the database has schema \(version), this program needs \(Schema.required)",
          why: "`kits serve` refuses to start on it.", todo: "Run `kits migrate`; older nodes may go on serving.")
        return ([finding], false)
      case .newer(let version):
        let finding = Finding.warning(
          "schema.version", "the database has schema \(version), this program knows \(Schema.required)",
          why: "A newer kits migrated it, and this one will not start again.", todo: "Update kits on this host.")
        return ([finding], false)
      }
    } catch {
      return ([.unread("schema.version", error)], false)
    }
    return ([.fine("schema.version", "schema \(Schema.required) is current"), await migrations()], true)
  }

  private func migrations() async -> Finding {
    let check = "schema.migrations"
    do throws(MigrationError) {
      try await health.verifyMigrations()
      return .fine(check, "all migrations are the ones that this program carries")
    } catch {
      if case .database(let cause) = error { return .unread(check, cause) }
      return .problem(
        check, CommandFailure.migration(error).message,
        why: "The tables may not be what the statements of this program expect.",
        todo: "Install the kits that this database was migrated with, or restore from a backup; never edit migrations.")
    }
  }

  func transactions() async -> [Finding] {
    let check = "database.transactions"
    do throws(PostgresError) {
      let found = try await health.longTransactions(olderThan: Self.longTransactionSeconds)
      if found.isEmpty { return [.fine(check, "no transaction is older than \(Self.longTransactionSeconds / 60) min")] }
      return found.map { Self.judge($0, check) }
    } catch {
      return [.unread(check, error)]
    }
  }

  static func judge(_ found: LongTransaction, _ check: String) -> Finding {
    let why =
      found.holdsSnapshot
      ? "It holds the oldest snapshot: VACUUM can't remove dead rows, and tables grow and slow down."
      : "It may hold locks that migrations and retention wait for."
    switch found.kind {
    case .transaction:
      return .warning(
        check,
        "process \(found.processID) (\(found.name), \(found.state)) has had a transaction open for \(found.seconds) s",
        why: why,
        todo: "End it there, or with SELECT pg_terminate_backend(\(found.processID)); a backup under way may finish.")
    case .prepared:
      return .warning(
        check, "the prepared transaction \(found.name) is open for \(found.seconds) s", why: why,
        todo: "COMMIT PREPARED or ROLLBACK PREPARED it.")
    case .slot:
      return .warning(
        check, "nobody reads the replication slot \(found.name)",
        why: "The server keeps all log since it was last read, until the disk is full.",
        todo: "Start its standby, or SELECT pg_drop_replication_slot('\(found.name)').")
    }
  }

  func indexes() async -> [Finding] {
    let check = "database.indexes"
    do throws(PostgresError) {
      let names = try await health.invalidIndexes()
      if names.isEmpty { return [.fine(check, "all indexes are valid")] }
      return names.map { name in
        .warning(
          check, "the index \(name) is invalid",
          why: "Creating it was cut short: it costs every write and serves no read.",
          todo: "Run `kits migrate` when it is under way, else DROP INDEX CONCURRENTLY \(name).")
      }
    } catch {
      return [.unread(check, error)]
    }
  }
}
