extension Migrator {
  /// Compares what was applied with what the program carries, and changes nothing: throws `unknown`, `changed` or
  /// `outOfOrder`. A migration that is still missing at the end is none of these.
  package static func verify(_ migrations: [Migration], in pool: ConnectionPool) async throws(MigrationError) {
    let migrations = try Migration.ordered(migrations)
    let found: (applied: [SelectMigrations.Row], checksums: [String])
    do throws(PostgresError) {
      guard try await pool.first(FindMigrationTable()) == true else { return }
      let checksums = try await pool.run(HashTexts(texts: migrations.map { Array($0.sql.utf8) }))
      found = (applied: try await pool.run(SelectMigrations()), checksums: checksums)
    } catch {
      throw .database(error)
    }
    try check(migrations, found.applied, found.checksums)
  }

  /// What is applied must be exactly the beginning of what we carry, unchanged.
  static func check(
    _ migrations: [Migration], _ applied: [SelectMigrations.Row], _ checksums: [String]
  ) throws(MigrationError) {
    let known = Dictionary(uniqueKeysWithValues: zip(migrations.map(\.version), checksums))
    for row in applied {
      guard let checksum = known[Int(row.version)] else { throw .unknown(version: Int(row.version)) }
      if checksum != row.sha256 { throw .changed(version: Int(row.version)) }
    }
    let versions = Set(applied.map { Int($0.version) })
    let newest = versions.max() ?? 0
    for migration in migrations where migration.version < newest && !versions.contains(migration.version) {
      throw .outOfOrder(version: migration.version, applied: newest)
    }
  }
}
