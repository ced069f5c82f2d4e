import KitsCore
import Postgres

/// Devices that came and went per day: what is counted, and what isn't yet. Every day has a row; groups beyond the
/// largest are one.
struct ReportUninstalls: Statement {
  let app: AppNumber
  let days: ClosedRange<Day>
  let grouping: UninstallReport.Grouping

  static let sql = """
    WITH c AS MATERIALIZED (
      SELECT x.day, x.installs, x.uninstalls, x.taken_back,
        CASE $4::smallint WHEN 1 THEN x.platform::text WHEN 2 THEN x.app_version ELSE '' END AS key
      FROM (
        SELECT d.day, d.platform, d.app_version, d.installs, d.uninstalls, d.taken_back
        FROM device_day d
        WHERE d.app_no = $1 AND d.day BETWEEN DATE '1970-01-01' + $2::integer AND DATE '1970-01-01' + $3::integer
        UNION ALL
        SELECT u.day, u.platform, coalesce(u.app_version, ''), 0, (u.taken_back_at IS NULL)::integer,
          (u.taken_back_at IS NOT NULL)::integer
        FROM uninstall u
        WHERE u.app_no = $1 AND u.day BETWEEN DATE '1970-01-01' + $2::integer AND DATE '1970-01-01' + $3::integer
        UNION ALL
        SELECT (g.created_at AT TIME ZONE 'UTC')::date, i.platform, coalesce(i.app_version, ''), 1, 0, 0
        FROM registration g
        JOIN installation i USING (app_no, installation_no)
        WHERE g.app_no = $1 AND g.is_new
          AND g.created_at >= to_timestamp($2::bigint * 86400) AND g.created_at < to_timestamp(($3::bigint + 1) * 86400)
      ) x
    ),
    k AS MATERIALIZED (
      SELECT c.key, row_number() OVER (ORDER BY sum(c.installs + c.uninstalls + c.taken_back) DESC, c.key) > $5 AS rest
      FROM c
      GROUP BY c.key
    ),
    s AS (
      SELECT c.day, k.rest, CASE WHEN NOT k.rest THEN c.key END AS key, sum(c.installs)::bigint AS installs,
        sum(c.uninstalls)::bigint AS uninstalls, sum(c.taken_back)::bigint AS taken_back
      FROM c
      JOIN k USING (key)
      GROUP BY 1, 2, 3
    )
    SELECT d.day, s.rest, s.key, s.installs, s.uninstalls, s.taken_back
    FROM generate_series($2::integer, $3::integer) AS d (day)
    LEFT JOIN s ON s.day = DATE '1970-01-01' + d.day
    ORDER BY d.day, s.rest, s.key
    """

  typealias Row = (day: Day, group: (isRest: Bool, key: String?, counts: DeviceCounts)?)

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(days.lowerBound.number)
    parameters.add(days.upperBound.number)
    parameters.add(grouping.rawValue)
    parameters.add(Int32(Limits.reportGroups))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let day = Day(try row.int32())
    guard let isRest = try row.boolOrNil() else { return (day: day, group: nil) }
    let key = try row.stringOrNil()
    let counts = DeviceCounts(
      installs: try row.int64(), uninstalls: try row.int64(), takenBack: try row.int64())
    return (day: day, group: (isRest: isRest, key: key, counts: counts))
  }
}
