import KitsCore
import Postgres

/// Counts uninstalls that can't be taken back any more into their days and removes them, a portion at a time.
struct CountUninstalls: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = """
    WITH gone AS (
      \(OldRows.delete(from: "uninstall", by: "noticed_at"))
      RETURNING app_no, day, platform, app_version, taken_back_at
    ),
    counted AS (
      INSERT INTO device_day AS d (app_no, day, platform, app_version, uninstalls, taken_back)
      SELECT g.app_no, g.day, g.platform, coalesce(g.app_version, ''), count(*) FILTER (WHERE g.taken_back_at IS NULL),
        count(*) FILTER (WHERE g.taken_back_at IS NOT NULL)
      FROM gone g
      GROUP BY 1, 2, 3, 4
      ORDER BY 1, 2, 3, 4
      ON CONFLICT (app_no, day, platform, app_version) DO UPDATE
        SET uninstalls = d.uninstalls + excluded.uninstalls, taken_back = d.taken_back + excluded.taken_back
    )
    SELECT count(*)
    FROM gone
    """

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 {
    try row.int64()
  }
}
