package import KitsCore
package import Postgres

/// Installations that come from elsewhere than a device: imported from a file, or made up to try things.
package struct ImportStore: Sendable {
  private let pool: ConnectionPool
  /// A batch takes a fraction of a second; this is for a database that is busy with other things.
  private static let patience = Duration.seconds(120)
  /// Deadlocks with registrations of the same tokens, which end one of the two.
  private static let attempts = 5

  package init(pool: ConnectionPool) {
    self.pool = pool
  }

  /// Nil when there is no such app.
  package func target(_ app: AppID) async throws(PostgresError) -> ImportTarget? {
    try await pool.first(FindImportTarget(app: app))
  }

  package func run(of fileHash: [UInt8], in target: ImportTarget) async throws(PostgresError) -> ImportRun? {
    try await pool.first(FindImportRun(app: target.app, fileHash: fileHash))
  }

  /// Begins a file from its start, whatever was known of it.
  package func begin(_ run: ImportRun, in target: ImportTarget, by call: AuditedCall) async throws(PostgresError) {
    _ = try await pool.run(BeginImportRun(target: target, run: run, call: call))
  }

  /// Adds rows and writes down how far the run is, together or not at all.
  ///
  /// - Parameter run: how it was, which has to be what the database knows.
  /// - Parameter next: how it will be, but for what came of these rows.
  /// - Returns: how it is now; nil when another process has moved it: then nothing was added.
  package func add(
    _ rows: [NewImport], to run: ImportRun, as next: ImportRun, in target: ImportTarget
  ) async throws(PostgresError) -> ImportRun? {
    try await repeating { transaction in
      var next = next
      next.tally += try await Self.insert(rows, target, transaction)
      let advance = AdvanceImportRun(target: target, run: next, from: run.position)
      guard try await transaction.first(advance) != nil else { throw Moved() }
      return next
    }
  }

  /// Adds rows that belong to no file.
  package func add(_ rows: [NewImport], in target: ImportTarget) async throws(PostgresError) -> ImportTally {
    try await repeating { try await Self.insert(rows, target, $0) } ?? ImportTally()
  }

  private struct Moved: Error {}

  private static func insert(
    _ rows: [NewImport], _ target: ImportTarget, _ transaction: Transaction
  ) async throws(PostgresError) -> ImportTally {
    var tally = ImportTally()
    guard !rows.isEmpty else { return tally }
    try await transaction.script(ImportStaging.ddl)
    try await transaction.copy(ImportStaging.copy, label: "ImportStaging", ImportStaging.rows(rows))
    guard let counts = try await transaction.first(InsertStagedInstallations(app: target.app)) else {
      throw .decode("no counts of an import")
    }
    tally.imported = counts.inserted
    tally.existing = counts.kept - counts.inserted
    tally.erased = counts.staged - counts.kept
    return tally
  }

  /// Nil when another process has moved the run.
  private func repeating<Value: Sendable>(
    _ body: @Sendable (Transaction) async throws -> Value
  ) async throws(PostgresError) -> Value? {
    var attempt = 1
    while true {
      do {
        return try await pool.transaction(deadline: .now + Self.patience, body)
      } catch let error as PostgresError {
        guard error.asksToRepeat, attempt < Self.attempts else { throw error }
        attempt += 1
      } catch is Moved {
        return nil
      } catch {
        throw .batch("\(type(of: error))")
      }
    }
  }
}
