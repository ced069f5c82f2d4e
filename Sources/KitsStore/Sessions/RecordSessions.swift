import KitsCore
import Postgres

/// Records a set of session reports, at most one of each installation. Locks come first and in order; what is locked
/// elsewhere answers busy. Only columns without an index change, so that the updates are HOT.
struct RecordSessions: Statement {
  let reports: [SessionReport]

  enum Row: Sendable {
    case answer(Int, SessionReport.Answer)
    case busy(Int)
  }

  /// `at`: how many of the kept sessions have no higher number. `pos`: where this session is kept.
  private static let decisions = """
    t AS MATERIALIZED (
      SELECT r.ord, r.generation AS asked_generation, r.session_id, r.number, r.started_at, r.seconds, i.app_no,
        i.installation_no, i.generation, i.collection_enabled, i.collection, i.session_ids, i.session_numbers,
        i.session_seconds, i.session_floor, i.session_count, i.foreground_seconds, i.first_session_at, i.last_session_at
      FROM r
      JOIN installation i USING (app_no, installation_no)
      ORDER BY i.app_no, i.installation_no
      FOR NO KEY UPDATE OF i SKIP LOCKED
    ),
    p AS MATERIALIZED (
      SELECT t.*, array_position(t.session_ids, t.session_id) AS pos,
        (SELECT count(*)::integer FROM unnest(t.session_numbers) n WHERE n <= t.number) AS at,
        CASE WHEN cardinality(t.session_ids) >= \(Limits.sessionsKept) THEN 2 ELSE 1 END AS head,
        greatest(
          least(t.started_at, now() + interval '\(Limits.sessionSkewSeconds) s'),
          now() - interval '\(Limits.sessionAgeSeconds) s') AS began
      FROM t
    ),
    s AS MATERIALIZED (
      SELECT p.*,
        CASE
          WHEN p.generation <> p.asked_generation THEN 4
          WHEN NOT p.collection_enabled OR p.collection & \(CollectionConsent.Features.activity.rawValue) = 0 THEN 3
          WHEN p.pos IS NOT NULL AND p.seconds <= p.session_seconds[p.pos] THEN 2
          WHEN p.pos IS NULL AND p.number <= p.session_floor THEN 2
          ELSE 1
        END::smallint AS status
      FROM p
    )
    """

  /// The row as it is to be. A session that is known keeps its number and its start.
  private static let outcomes = """
    d AS MATERIALIZED (
      SELECT s.ord, s.status, s.app_no, s.installation_no, s.session_ids, s.session_numbers, s.session_floor,
        s.session_seconds[:s.pos - 1] || s.seconds || s.session_seconds[s.pos + 1:] AS session_seconds,
        s.session_count, s.foreground_seconds + s.seconds - s.session_seconds[s.pos] AS foreground_seconds,
        s.first_session_at, s.last_session_at
      FROM s
      WHERE s.status = 1 AND s.pos IS NOT NULL
      UNION ALL
      SELECT s.ord, s.status, s.app_no, s.installation_no,
        (s.session_ids[:s.at] || s.session_id || s.session_ids[s.at + 1:])[s.head:],
        (s.session_numbers[:s.at] || s.number || s.session_numbers[s.at + 1:])[s.head:],
        CASE s.head WHEN 2 THEN least(s.number, s.session_numbers[1]) ELSE s.session_floor END,
        (s.session_seconds[:s.at] || s.seconds || s.session_seconds[s.at + 1:])[s.head:],
        s.session_count + 1, s.foreground_seconds + s.seconds, least(s.first_session_at, s.began),
        greatest(s.last_session_at, s.began)
      FROM s
      WHERE s.status = 1 AND s.pos IS NULL
      UNION ALL
      SELECT s.ord, s.status, s.app_no, s.installation_no, NULL, NULL, NULL, NULL, s.session_count,
        s.foreground_seconds, s.first_session_at, s.last_session_at
      FROM s
      WHERE s.status <> 1
    )
    """

  static let sql = """
    WITH r AS MATERIALIZED (
      SELECT *
      FROM unnest(
        $1::bigint[], $2::bigint[], $3::integer[], $4::uuid[], $5::bigint[], $6::timestamptz[], $7::bigint[]
      ) WITH ORDINALITY AS u (app_no, installation_no, generation, session_id, number, started_at, seconds, ord)
    ),
    \(decisions),
    \(outcomes),
    x AS (
      UPDATE installation i
      SET session_ids = d.session_ids,
        session_numbers = d.session_numbers,
        session_seconds = d.session_seconds,
        session_floor = d.session_floor,
        session_count = d.session_count,
        foreground_seconds = d.foreground_seconds,
        first_session_at = d.first_session_at,
        last_session_at = d.last_session_at
      FROM d
      WHERE d.status = 1 AND i.app_no = d.app_no AND i.installation_no = d.installation_no
    )
    SELECT (r.ord - 1)::integer,
      CASE
        WHEN d.status IS NOT NULL THEN d.status
        WHEN EXISTS (
          SELECT FROM installation x WHERE x.app_no = r.app_no AND x.installation_no = r.installation_no
        ) THEN 5::smallint
        ELSE 4::smallint
      END,
      d.session_count, d.foreground_seconds, d.first_session_at, d.last_session_at
    FROM r
    LEFT JOIN d USING (ord)
    ORDER BY r.ord
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(reports.map(\.app.value))
    parameters.add(reports.map(\.installation.value))
    parameters.add(reports.map(\.generation))
    parameters.add(reports.map(\.session))
    parameters.add(reports.map(\.number))
    parameters.add(timestamps: reports.map(\.startedAt.microseconds))
    parameters.add(reports.map(\.foregroundSeconds))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let index = Int(try row.int32())
    let status = try row.int16()
    switch status {
    case 1, 2:
      let totals = SessionTotals(
        count: try row.int64(), foregroundSeconds: try row.int64(),
        firstAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)),
        lastAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)))
      return .answer(index, .totals(totals, recorded: status == 1))
    case 3: return .answer(index, .collectionOff)
    case 4: return .answer(index, .tokenInvalid)
    default: return .busy(index)
    }
  }
}
