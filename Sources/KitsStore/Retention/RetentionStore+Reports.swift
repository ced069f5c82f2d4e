package import KitsCore
package import Postgres

/// Counts what reports show.
extension RetentionStore {
  /// Messages of these hours are to be counted, the newest first.
  package func messageHours(leastSeconds: Int32, limit: Int32) async throws(PostgresError) -> [MessageHour] {
    try await pool.run(ListMessageHours(leastSeconds: leastSeconds, limit: limit), deadline: .now + patience)
  }

  package func count(_ hour: MessageHour) async throws(PostgresError) {
    if hour.isSettled {
      _ = try await pool.execute(CountHourEvents(hour: hour), deadline: .now + patience)
    } else {
      _ = try await pool.execute(CountMessageHour(hour: hour), deadline: .now + patience)
    }
  }

  /// How many uninstalls went into the counts of their days.
  package func countUninstalls(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    Int(try await pool.first(CountUninstalls(before: before, limit: limit)) ?? 0)
  }

  package func forgetMessageHours(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetMessageHours(before: before, limit: limit))
  }

  package func forgetDeviceDays(before: Timestamp, limit: Int32) async throws(PostgresError) -> Int {
    try await pool.execute(ForgetDeviceDays(before: before, limit: limit))
  }
}
