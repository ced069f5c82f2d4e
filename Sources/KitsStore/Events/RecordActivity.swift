import KitsCore
import Postgres

/// Records the activity of a set of requests, at most one request of each installation, and counts the new records by
/// day and name. As `RecordEvents`: locks first and in order, and only what was inserted is counted.
///
/// Statements that run side by side may each take a name as an app's last: the limit holds to within that.
struct RecordActivity: Statement {
  let reports: [ActivityReport]

  typealias Row = BatchedRow<ActivityAnswer>

  private static let requests = """
    r AS MATERIALIZED (
      SELECT *
      FROM unnest($1::bigint[], $2::bigint[], $3::integer[]) WITH ORDINALITY
        AS u (app_no, installation_no, generation, ord)
    ),
    t AS MATERIALIZED (
      SELECT r.ord, i.app_no, i.installation_no, i.binding_number, r.generation = i.generation AS is_valid,
        CASE WHEN i.collection_enabled AND NOT i.coppa THEN i.collection ELSE 0 END AS features
      FROM r
      JOIN installation i USING (app_no, installation_no)
      ORDER BY i.app_no, i.installation_no
      FOR NO KEY UPDATE OF i SKIP LOCKED
    ),
    e AS MATERIALIZED (
      SELECT t.app_no, t.installation_no, t.binding_number, u.place, u.ord, u.record_id, u.type, u.name, u.properties,
        greatest(least(u.occurred_at, now()), now() - interval '\(Limits.eventAgeSeconds) s') AS occurred_at,
        t.features & u.feature <> 0 AS is_wanted,
        row_number() OVER (PARTITION BY u.place, u.record_id ORDER BY u.ord) AS turn
      FROM unnest(
        $4::integer[], $5::uuid[], $6::smallint[], $7::smallint[], $8::text[], $9::jsonb[], $10::timestamptz[]
      ) WITH ORDINALITY AS u (place, record_id, type, feature, name, properties, occurred_at, ord)
      JOIN t ON t.ord = u.place
      WHERE t.is_valid
    )
    """

  /// `named`: the names that count, known before or new with room for them.
  private static let names = """
    n AS MATERIALIZED (
      SELECT e.app_no, e.type, e.name, min(e.ord) AS ord
      FROM e
      WHERE e.is_wanted
      GROUP BY e.app_no, e.type, e.name
    ),
    known AS MATERIALIZED (
      SELECT n.app_no, n.type, n.name
      FROM n
      JOIN activity_name x USING (app_no, type, name)
    ),
    fresh_names AS MATERIALIZED (
      SELECT n.app_no, n.type, n.name, row_number() OVER (PARTITION BY n.app_no ORDER BY n.ord) AS turn
      FROM n
      WHERE (n.app_no, n.type, n.name) NOT IN (SELECT k.app_no, k.type, k.name FROM known k)
    ),
    room AS MATERIALIZED (
      SELECT f.app_no, (SELECT count(*) FROM activity_name x WHERE x.app_no = f.app_no) AS used
      FROM fresh_names f
      GROUP BY f.app_no
    ),
    fitting AS MATERIALIZED (
      SELECT f.app_no, f.type, f.name
      FROM fresh_names f
      JOIN room m USING (app_no)
      WHERE f.turn <= \(Limits.activityNames) - m.used
    ),
    named AS MATERIALIZED (
      SELECT k.app_no, k.type, k.name
      FROM known k
      UNION ALL
      SELECT f.app_no, f.type, f.name
      FROM fitting f
    ),
    added AS (
      INSERT INTO activity_name (app_no, type, name)
      SELECT f.app_no, f.type, f.name
      FROM fitting f
      ORDER BY f.app_no, f.type, f.name
      ON CONFLICT (app_no, type, name) DO NOTHING
    ),
    s AS MATERIALIZED (
      SELECT e.*,
        CASE
          WHEN NOT e.is_wanted THEN \(ActivityAnswer.collectionOff.rawValue)
          WHEN (e.app_no, e.type, e.name) NOT IN (SELECT d.app_no, d.type, d.name FROM named d)
            THEN \(ActivityAnswer.nameLimitReached.rawValue)
          ELSE \(ActivityAnswer.recorded.rawValue)
        END::smallint AS status
      FROM e
    )
    """

  private static let records = """
    fresh_activity AS (
      INSERT INTO activity (
        app_no, installation_no, record_id, type, name, properties, binding_number, occurred_at
      )
      SELECT s.app_no, s.installation_no, s.record_id, s.type, s.name, s.properties, s.binding_number, s.occurred_at
      FROM s
      WHERE s.status = \(ActivityAnswer.recorded.rawValue) AND s.turn = 1
      ORDER BY s.app_no, s.installation_no, s.record_id
      ON CONFLICT (app_no, installation_no, record_id) DO NOTHING
      RETURNING app_no, installation_no, record_id, type, name
    ),
    days AS (
      INSERT INTO activity_day AS d (app_no, type, name, day, count)
      SELECT f.app_no, f.type, f.name, (now() AT TIME ZONE 'UTC')::date, count(*)
      FROM fresh_activity f
      GROUP BY f.app_no, f.type, f.name
      ORDER BY f.app_no, f.type, f.name
      ON CONFLICT (app_no, type, name, day) DO UPDATE
        SET count = d.count + excluded.count
    )
    """

  static let sql = """
    WITH \(requests),
    \(names),
    \(records)
    SELECT (r.ord - 1)::integer, s.ord,
      CASE
        WHEN s.status <> \(ActivityAnswer.recorded.rawValue) THEN s.status
        WHEN s.turn = 1
          AND (s.app_no, s.installation_no, s.record_id) IN (
            SELECT f.app_no, f.installation_no, f.record_id FROM fresh_activity f
          )
          THEN s.status
        WHEN s.ord IS NOT NULL THEN \(ActivityAnswer.duplicate.rawValue)::smallint
      END,
      t.ord IS NULL AND EXISTS (
        SELECT FROM installation x WHERE x.app_no = r.app_no AND x.installation_no = r.installation_no
      ),
      t.ord IS NULL OR NOT t.is_valid
    FROM r
    LEFT JOIN t USING (ord)
    LEFT JOIN s ON s.place = r.ord
    ORDER BY s.ord
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(reports.map(\.app.value))
    parameters.add(reports.map(\.installation.value))
    parameters.add(reports.map(\.generation))
    let records = reports.enumerated().flatMap { place, report in
      report.records.map { (place: place, record: $0) }
    }
    parameters.add(records.map { Int32($0.place + 1) })
    parameters.add(records.map(\.record.id))
    parameters.add(records.map(\.record.type.rawValue))
    parameters.add(records.map(\.record.type.feature.rawValue))
    parameters.add(records.map(\.record.name))
    parameters.add(jsons: records.map(\.record.properties))
    parameters.add(timestamps: records.map(\.record.occurredAt.microseconds))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    try Row.decode(&row) { ActivityAnswer(rawValue: $0) }
  }
}
