/// Why the schema could not be brought forward. Whatever was applied before stays applied.
package enum MigrationError: Error, Sendable, Equatable {
  case badName(String)
  case unreadable(String)
  case duplicate(version: Int)
  /// The text of an applied migration was changed afterwards.
  case changed(version: Int)
  /// The database has a migration that this program doesn't know: it was migrated by a newer one.
  case unknown(version: Int)
  /// An older migration is missing below the newest applied one.
  case outOfOrder(version: Int, applied: Int)
  /// Another process migrates and didn't finish in time.
  case locked
  /// The migration's text ended the transaction that it runs in.
  case endedTransaction(version: Int)
  case failed(version: Int, PostgresError)
  case database(PostgresError)
}
