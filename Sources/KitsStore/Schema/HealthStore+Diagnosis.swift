package import KitsCore
package import Postgres

/// What `kits doctor` asks. Reads alone.
extension HealthStore {
  package func server() async throws(PostgresError) -> ServerDiagnosis? {
    try await pool.first(ReadServer())
  }

  /// Throws `changed`, `unknown` or `outOfOrder` when what was applied isn't what this program carries.
  package func verifyMigrations() async throws(MigrationError) {
    try await Migrator.verify(Schema.migrations, in: pool)
  }

  /// Which of the days 0 (today) to 7 have no partition.
  package func missingDays() async throws(PostgresError) -> [Int32] {
    try await pool.run(ListMissingDays())
  }

  /// When the oldest day of chunks that is still there ended.
  package func endOfOldestDay() async throws(PostgresError) -> Timestamp? {
    try await pool.run(ListPartitions(table: .chunks)).first?.endsAt
  }

  package func work() async throws(PostgresError) -> WorkDiagnosis? {
    try await pool.first(ReadWork())
  }

  package func longTransactions(olderThan seconds: Int32) async throws(PostgresError) -> [LongTransaction] {
    try await pool.run(ListLongTransactions(seconds: seconds))
  }

  package func invalidIndexes() async throws(PostgresError) -> [String] {
    try await pool.run(ListInvalidIndexes())
  }

  /// The pauses of all apps.
  package func pauses() async throws(PostgresError) -> [(app: AppID, pause: AppPause)] {
    try await pool.run(ListPauses(app: nil, environment: nil)).compactMap { row in row.pause.map { (row.app, $0) } }
  }

  /// The master keys that secrets of request signing are sealed under.
  package func signingSealers() async throws(PostgresError) -> [String] {
    try await pool.run(ListSigningSealers())
  }

  /// The same of webhooks.
  package func webhookSealers() async throws(PostgresError) -> [String] {
    try await pool.run(ListWebhookSealers())
  }

  package func apps() async throws(PostgresError) -> [AppDiagnosis] {
    try await pool.run(ListAppKeys())
  }
}
