internal import Crypto
internal import KitsStore
internal import Postgres

/// Examines an installation of the product from the outside in: this host, the database, the work in it, the keys, the
/// push service. Changes nothing.
struct Doctor: Sendable {
  let config: Config
  let ring: KeyRing
  let health: HealthStore

  func examine() async -> [Finding] {
    var findings = [HostChecks.openFiles(HostChecks.hardLimit())]
    let server: ServerDiagnosis
    let before = Timestamp.now().milliseconds
    do throws(PostgresError) {
      guard let answer = try await health.server() else { return findings }
      server = answer
    } catch {
      findings.append(DatabaseChecks.unreachable(error))
      return findings
    }
    let after = Timestamp.now().milliseconds
    findings += DatabaseChecks.judge(server, connectionsWanted: config.database.connections)
    findings.append(HostChecks.clock(here: before...max(before, after), database: server.now))
    let database = DatabaseChecks(health: health)
    findings += await database.transactions()
    findings += await database.indexes()
    let (schema, isCurrent) = await database.schema()
    findings += schema
    // Everything else reads tables that an older schema doesn't have.
    guard isCurrent else { return findings }
    let work = WorkChecks(health: health, retentionDays: config.retentionDays, now: server.now)
    findings += await work.examine()
    findings += await KeyChecks(health: health, ring: ring, config: config, now: server.now).examine()
    return findings
  }
}

extension Finding {
  /// A check that couldn't be made.
  static func unread(_ check: String, _ error: PostgresError) -> Finding {
    .problem(
      check, "could not be checked: \(CommandFailure.database(error).message)",
      why: "What isn't known to be well may be ill.", todo: "Look at the database's log and run this again.")
  }
}
