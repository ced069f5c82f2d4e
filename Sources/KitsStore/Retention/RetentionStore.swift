package import KitsCore
package import Postgres

/// Old chunks, contents, keys and owners of tokens: how they are found, counted and removed, in steps that are short.
package struct RetentionStore: Sendable {
  let pool: ConnectionPool
  package let owner: Int64
  /// For the steps that count: one message of many millions is one step.
  let patience = Duration.seconds(300)

  package init(pool: ConnectionPool, owner: Int64) {
    self.pool = pool
    self.owner = owner
  }

  package func now() async throws(PostgresError) -> Timestamp {
    guard let now = try await pool.first(ReadClock()) else { throw .decode("no clock") }
    return now
  }

  // MARK: Turns

  /// False when the task isn't due or another node has it.
  package func claim(_ task: MaintenanceTask, doneBefore: Timestamp) async throws(PostgresError) -> Bool {
    try await pool.first(ClaimMaintenance(task: task, owner: owner, doneBefore: doneBefore)) ?? false
  }

  /// False when another node has it by now.
  package func renew(_ task: MaintenanceTask) async throws(PostgresError) -> Bool {
    try await pool.first(RenewMaintenance(task: task, owner: owner)) ?? false
  }

  package func release(_ task: MaintenanceTask, doneAt: Timestamp?) async throws(PostgresError) {
    _ = try await pool.run(ReleaseMaintenance(task: task, owner: owner, doneAt: doneAt))
  }

  // MARK: Days

  package func partitions(
    of table: DayPartition.Table = .chunks
  ) async throws(PostgresError) -> [DayPartition] {
    try await pool.run(ListPartitions(table: table))
  }

  /// How much of a day may still change.
  package func openCount(of partition: DayPartition) async throws(PostgresError) -> Int64 {
    try await pool.first(CountOpenOfDay(partition: partition), deadline: .now + patience) ?? 0
  }

  /// Rolls up some messages of a day; nil when none is left after `place`.
  package func rollUp(
    _ partition: DayPartition, after place: MessagePlace, messages: Int32, recipients: Int64
  ) async throws(PostgresError) -> MessagePlace? {
    let step = RollUpMessages(partition: partition, after: place, messages: messages, recipients: recipients)
    return try await pool.first(step, deadline: .now + patience)
  }

  /// Messages of a day whose counts would be lost with it.
  package func missingRollUps(of partition: DayPartition) async throws(PostgresError) -> Int64 {
    try await pool.first(CountMissingRollUps(partition: partition), deadline: .now + patience) ?? 0
  }

  /// Takes a day out of the table without ever making anybody wait: CONCURRENTLY waits for the statements that run and
  /// lets all others pass. Cut short it leaves a mark, which `finishDetaching` ends.
  package func detach(_ partition: DayPartition, within limit: Duration) async throws(PostgresError) {
    try await pool.script(
      "ALTER TABLE \(partition.table.rawValue) DETACH PARTITION \(partition.name) CONCURRENTLY",
      deadline: .now + limit)
  }

  package func finishDetaching(_ partition: DayPartition, within limit: Duration) async throws(PostgresError) {
    try await pool.script(
      "ALTER TABLE \(partition.table.rawValue) DETACH PARTITION \(partition.name) FINALIZE", deadline: .now + limit)
  }

  /// Drops a table that is no partition any more.
  package func drop(_ partition: DayPartition, within limit: Duration) async throws(PostgresError) {
    try await pool.script("DROP TABLE IF EXISTS \(partition.name)", deadline: .now + limit)
  }

  // MARK: Rows

  package func forgetContents(of partition: DayPartition, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetContents(partition: partition, limit: limit))
  }

  package func forgetSummaries(of partition: DayPartition, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetSummaries(partition: partition, limit: limit))
  }

  /// - Parameter oldest: the lowest message number that still has chunks.
  package func forgetMessages(
    before: Timestamp, oldest: Int64, limit: Int32
  ) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetMessages(before: before, oldest: oldest, limit: limit))
  }

  package func forgetRegistrationKeys(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    Int(try await pool.first(ForgetRegistrationKeys(before: before, limit: limit)) ?? 0)
  }

  package func forgetIdempotencyKeys(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetIdempotencyKeys(before: before, limit: limit))
  }

  package func forgetProviderTokens(before: Timestamp) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetProviderTokens(before: before))
  }

  package func forgetIdentityOperations(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetIdentityOperations(before: before, limit: limit))
  }

  package func forgetErasedUsers(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetErasedUsers(before: before, limit: limit))
  }

  package func forgetRejections(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetRejections(before: before, limit: limit))
  }

  package func forgetTagKeys(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetTagKeys(before: before, limit: limit))
  }

  package func forgetWebhookDeliveries(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetWebhookDeliveries(before: before, limit: limit))
  }

  package func forgetEvents(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetEvents(before: before, limit: limit))
  }

  package func forgetAudit(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetAudit(before: before, limit: limit))
  }

  package func forgetActivity(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetActivity(before: before, limit: limit))
  }

  package func forgetActivityDays(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetActivityDays(before: before, limit: limit))
  }

  package func forgetActivityNames(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetActivityNames(before: before, limit: limit))
  }

  /// Nil when no owner is left after `place`.
  package func sweepTokenOwners(
    after place: TokenPlace, before: Timestamp, limit: Int32
  ) async throws(PostgresError) -> (place: TokenPlace, removed: Int64)? {
    try await pool.first(SweepTokenOwners(after: place, before: before, limit: limit))
  }

  /// Nil when no imported installation is left after `place`.
  package func sweepReplacedImports(
    after place: InstallationPlace, limit: Int32
  ) async throws(PostgresError) -> (place: InstallationPlace, removed: Int64)? {
    try await pool.first(SweepReplacedImports(after: place, limit: limit))
  }
}
