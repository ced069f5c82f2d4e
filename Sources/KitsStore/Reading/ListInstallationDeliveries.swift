import KitsCore
import Postgres

/// The newest deliveries to an installation: of messages to it alone, which have an index of their own, and of the last
/// larger ones, of which each is asked whether it was a member.
struct ListInstallationDeliveries: Statement {
  let app: AppNumber
  let installation: InstallationNumber
  let limit: Int32

  static let sql = """
    WITH larger AS MATERIALIZED (
      SELECT m.message_no
      FROM message m
      WHERE m.app_no = $1 AND m.planned > 1
      ORDER BY m.message_no DESC
      LIMIT \(Limits.historyLargerMessages)
    ),
    found AS MATERIALIZED (
      (
        SELECT k.message_no, k.chunk_no, 0 AS idx
        FROM message_chunk k
        WHERE k.app_no = $1 AND k.lo = $2 AND k.n = 1
        ORDER BY k.message_no DESC
        LIMIT $3
      )
      UNION ALL
      SELECT k.message_no, k.chunk_no, p.idx
      FROM larger l
      CROSS JOIN LATERAL (
        SELECT k.message_no, k.chunk_no, k.members
        FROM message_chunk k
        WHERE k.app_no = $1 AND k.message_no = l.message_no AND k.n > 1 AND k.lo <= $2 AND k.hi >= $2
        OFFSET 0
      ) k
      CROSS JOIN LATERAL (SELECT array_position(k.members, $2::bigint) - 1 AS idx OFFSET 0) p
      WHERE p.idx IS NOT NULL
    ),
    page AS MATERIALIZED (
      SELECT f.message_no, f.chunk_no, f.idx
      FROM found f
      ORDER BY f.message_no DESC
      LIMIT $3
    )
    SELECT r.larger, r.since, x.message_no, m.message_id, b.title, m.state, m.started_at, \(DeliverySQL.columns)
    FROM (
      SELECT count(*)::integer AS larger,
        CASE WHEN count(*) = \(Limits.historyLargerMessages) THEN min(l.message_no) END AS since
      FROM larger l
    ) r
    LEFT JOIN page f ON true
    LEFT JOIN LATERAL (
      SELECT f.message_no, f.chunk_no, f.idx, $2::bigint AS no, get_byte(k.outcomes, f.idx) AS code, k.attempted_to
      FROM message_chunk k
      WHERE k.app_no = $1 AND k.message_no = f.message_no AND k.chunk_no = f.chunk_no
      LIMIT 1
    ) x ON true
    LEFT JOIN LATERAL (
      SELECT m.message_id, m.state, m.started_at
      FROM message m
      WHERE m.app_no = $1 AND m.message_no = f.message_no
      LIMIT 1
    ) m ON true
    LEFT JOIN LATERAL (
      SELECT b.content ->> 'title' AS title
      FROM message_body b
      WHERE b.app_no = $1 AND b.message_no = f.message_no
      LIMIT 1
    ) b ON true
    \(DeliverySQL.joins)
    ORDER BY f.message_no DESC
    """

  /// How many larger messages were asked, the oldest of them when there may be older ones, and one delivery; none in
  /// the only row of an empty list.
  typealias Row = (larger: Int32, since: Int64?, entry: (number: Int64, InstallationHistory.Entry)?)

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(installation.value)
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let larger = try row.int32()
    let since = try row.int64OrNil()
    guard let number = try row.int64OrNil() else { return (larger: larger, since: since, entry: nil) }
    let entry = InstallationHistory.Entry(
      message: MessageID(try row.uuid()), title: try row.stringOrNil(), state: try row.known(MessageState.self),
      startedAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)), standing: try DeliverySQL.decode(&row))
    return (larger: larger, since: since, entry: (number: number, entry))
  }
}
