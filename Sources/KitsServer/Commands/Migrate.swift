internal import KitsStore
internal import Postgres

/// `kits migrate`
enum Migrate {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let database = try Settings.database(invocation)
    let output = invocation.output
    let applied: [Int]
    do throws(MigrationError) {
      let migrator = try Migrator(url: database.url.reveal(), migrations: Schema.migrations) { event in
        output.remark(sentence(event))
      }
      applied = try await migrator.migrate()
    } catch {
      throw CommandFailure.migration(error)
    }
    let names = Schema.migrations.filter { applied.contains($0.version) }.map { Report.Value.string(fileName($0)) }
    try output.print(Report([("applied", .list(names)), ("schema_version", .integer(Schema.required))]))
  }

  private static func fileName(_ migration: Migration) -> String {
    let digits = String(migration.version)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_" + migration.name
  }

  private static func sentence(_ event: MigrationEvent) -> String {
    switch event {
    case .waitingForLock: "waiting for another `kits migrate`"
    case .applying(let version, let name): "applying \(version) (\(name))"
    case .retrying(let version): "migration \(version) waits for a lock that somebody holds"
    case .droppedInvalidIndex(let name): "dropped the invalid index \(name) of an earlier try"
    case .applied(let version, let milliseconds): "applied \(version) in \(milliseconds) ms"
    }
  }
}

extension CommandFailure {
  static func migration(_ error: MigrationError) -> CommandFailure {
    switch error {
    case .database(let cause): .database(cause)
    case .locked: .unavailable("another process migrates this database and did not finish in time")
    case .unknown(let version):
      .refused(
        "the database has migration \(version), which this program doesn't know: it was migrated by a newer kits")
    case .changed(let version):
      .refused("migration \(version) was applied to this database with another text")
    case .outOfOrder(let version, let applied):
      .refused("migration \(version) is missing in this database although \(applied) was applied")
    case .failed(let version, let cause):
      .refused("migration \(version) failed and was undone: \(database(cause).message)")
    case .badName, .unreadable, .duplicate, .endedTransaction:
      .refused("the migrations of this program are broken: \(error)")
    }
  }
}
