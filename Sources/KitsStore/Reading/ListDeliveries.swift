import KitsCore
import Postgres

/// Deliveries of a message behind a position, in the order of positions. The bytes of a chunk tell whether it has what
/// is asked for before any member is looked at.
struct ListDeliveries: Statement {
  let app: AppNumber
  let message: MessageNumber
  let selection: DeliverySelection
  let after: DeliveryPosition
  let scan: DeliveryScan
  let limit: Int32

  static let sql = """
    WITH w AS MATERIALIZED (
      SELECT array_agg(o.code::integer) AS codes, $5::smallint IS NULL AND $6::text IS NULL AS is_any
      FROM outcome_code o
      WHERE ($5::smallint IS NULL OR o.class = $5) AND ($6::text IS NULL OR o.reason = $6)
    ),
    scanned AS MATERIALIZED (
      SELECT k.chunk_no,
        CASE
          WHEN w.is_any OR EXISTS (
            SELECT
            FROM unnest(w.codes) AS c (code)
            WHERE position(set_byte('\\x00'::bytea, 0, c.code) IN k.outcomes) > 0
          ) THEN k.n
        END AS n
      FROM w
      CROSS JOIN LATERAL (
        SELECT k.chunk_no, k.n, k.outcomes
        FROM message_chunk k
        WHERE k.app_no = $1 AND k.message_no = $2 AND k.chunk_no >= $3
        ORDER BY k.chunk_no
        LIMIT $9
      ) k
    ),
    counted AS MATERIALIZED (
      SELECT s.chunk_no, s.n, coalesce(sum(s.n) OVER (ORDER BY s.chunk_no), 0) - coalesce(s.n, 0) AS before
      FROM scanned s
    ),
    page AS MATERIALIZED (
      SELECT $2::bigint AS message_no, k.chunk_no, x.idx, x.no, x.code, k.attempted_to
      FROM counted c
      CROSS JOIN w
      CROSS JOIN LATERAL (
        SELECT k.chunk_no, k.members, k.outcomes, k.attempted_to
        FROM message_chunk k
        WHERE k.app_no = $1 AND k.message_no = $2 AND k.chunk_no = c.chunk_no
        LIMIT 1
      ) k
      CROSS JOIN LATERAL (
        SELECT (u.ord - 1)::integer AS idx, u.no, get_byte(k.outcomes, (u.ord - 1)::integer) AS code
        FROM unnest(k.members) WITH ORDINALITY AS u (no, ord)
      ) x
      LEFT JOIN LATERAL (
        SELECT true AS is_there
        FROM notification_event e
        WHERE $7::smallint IS NOT NULL AND e.app_no = $1 AND e.installation_no = x.no AND e.message_no = $2
          AND e.type = $7
        LIMIT 1
      ) e ON true
      WHERE c.n IS NOT NULL AND c.before < $10 AND (k.chunk_no > $3 OR x.idx > $4)
        AND (w.is_any OR x.code = ANY (w.codes))
        AND ($7::smallint IS NULL OR (e.is_there IS NOT NULL) = $8::boolean)
      ORDER BY k.chunk_no, x.idx
      LIMIT $11
    )
    SELECT n.chunk_no, x.chunk_no, x.idx, i.installation_id, \(DeliverySQL.columns)
    FROM (
      SELECT max(c.chunk_no) AS last
      FROM counted c
      WHERE c.before < $10
    ) r
    LEFT JOIN LATERAL (
      SELECT k.chunk_no
      FROM message_chunk k
      WHERE k.app_no = $1 AND k.message_no = $2 AND k.chunk_no > r.last
      ORDER BY k.chunk_no
      LIMIT 1
    ) n ON true
    LEFT JOIN page x ON true
    LEFT JOIN LATERAL (
      SELECT i.installation_id
      FROM installation i
      WHERE i.app_no = $1 AND i.installation_no = x.no
      LIMIT 1
    ) i ON true
    \(DeliverySQL.joins)
    ORDER BY x.chunk_no, x.idx
    """

  /// The chunk behind those that were looked through, and one delivery; none in the only row of an empty page.
  typealias Row = (next: Int32?, delivery: DeliveryRecord?)

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(message.value)
    parameters.add(after.chunk)
    parameters.add(after.index)
    parameters.add(selection.outcome?.rawValue)
    parameters.add(selection.reason)
    parameters.add(selection.event?.type.rawValue)
    parameters.add(selection.event?.isThere)
    parameters.add(scan.chunks)
    parameters.add(scan.members)
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let next = try row.int32OrNil()
    guard let chunk = try row.int32OrNil() else { return (next: next, delivery: nil) }
    let delivery = DeliveryRecord(
      position: DeliveryPosition(chunk: chunk, index: try row.int32()),
      installation: try row.uuidOrNil().map(InstallationID.init), standing: try DeliverySQL.decode(&row))
    return (next: next, delivery: delivery)
  }
}
