import KitsCore
import Postgres

/// What holds deliveries back. Queries name the row `z`.
enum OpenCircuits {
  /// The paused environments of app `$1`, as an array that is never null.
  static let held = """
    ARRAY(SELECT z.apns_environment FROM app_circuit z WHERE z.app_no = $1 AND z.state = 2)
    """
}

/// How a circuit stands, and which suspects were accepted before: in a message that was created after their token was
/// registered, among the app's last 20 larger messages and the installation's last 5 of its own. Asked on failures
/// only.
struct ExamineSuspects: Statement {
  let place: CircuitPlace
  let suspects: [InstallationNumber]

  static let sql = """
    WITH s AS MATERIALIZED (
      SELECT i.installation_no AS no, (extract(epoch FROM i.token_registered_at) * 1000)::bigint << 22 AS since
      FROM unnest($3::bigint[]) AS u (no)
      JOIN installation i ON i.app_no = $1 AND i.installation_no = u.no
      WHERE i.token_registered_at IS NOT NULL
    ),
    recent AS MATERIALIZED (
      SELECT m.message_no
      FROM (
        SELECT m.message_no, m.planned
        FROM message m
        WHERE m.app_no = $1 AND m.message_no >= (SELECT min(s.since) FROM s)
        ORDER BY m.message_no DESC
        LIMIT 2000
      ) m
      WHERE m.planned > 1
      ORDER BY m.message_no DESC
      LIMIT 20
    ),
    bulk AS (
      SELECT DISTINCT s.no
      FROM recent r
      JOIN message_chunk k ON k.app_no = $1 AND k.message_no = r.message_no AND k.n > 1
        AND k.lo <= (SELECT max(s.no) FROM s) AND k.hi >= (SELECT min(s.no) FROM s)
      CROSS JOIN LATERAL unnest(k.members) WITH ORDINALITY AS u (no, ord)
      JOIN s ON s.no = u.no AND k.message_no >= s.since
      WHERE get_byte(k.outcomes, (u.ord - 1)::integer) = 1
    ),
    single AS (
      SELECT s.no
      FROM s
      CROSS JOIN LATERAL (
        SELECT k.outcomes
        FROM message_chunk k
        WHERE k.app_no = $1 AND k.lo = s.no AND k.n = 1 AND k.message_no >= s.since
        ORDER BY k.message_no DESC
        LIMIT 5
      ) k
      WHERE get_byte(k.outcomes, 0) = 1
    )
    SELECT coalesce(c.state = 2, false), coalesce(c.epoch, 0),
      ARRAY(SELECT b.no FROM bulk b UNION SELECT g.no FROM single g)
    FROM (SELECT) one
    LEFT JOIN app_circuit c ON c.app_no = $1 AND c.apns_environment = $2
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(place.app.value)
    parameters.add(place.environment.rawValue)
    parameters.add(suspects.map(\.value))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> CircuitStanding {
    CircuitStanding(
      isOpen: try row.bool(), epoch: try row.int32(),
      proven: Set(try row.int64Array().map { InstallationNumber($0) }))
  }
}

/// Opens a circuit, unless it changed since its epoch was read.
struct OpenCircuit: Statement {
  let place: CircuitPlace
  let epoch: Int32
  let reason: PauseReason
  let detail: String?

  static let sql = """
    WITH c AS (
      INSERT INTO app_circuit AS c (app_no, apns_environment, state, epoch, reason, detail)
      VALUES ($1, $2, 2, 1, $4, $5)
      ON CONFLICT (app_no, apns_environment) DO UPDATE
        SET state = 2, epoch = c.epoch + 1, reason = excluded.reason, detail = excluded.detail, opened_at = now(),
          closed_at = NULL
        WHERE c.state = 1 AND c.epoch = $3
      RETURNING c.app_no, c.apns_environment, c.epoch
    ),
    \(OutboxSQL.app(
      .appPaused, from: "(SELECT c.app_no, a.app_id, c.apns_environment FROM c JOIN app a USING (app_no)) x",
      reason: "$4"))
    SELECT c.epoch
    FROM c
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(place.app.value)
    parameters.add(place.environment.rawValue)
    parameters.add(epoch)
    parameters.add(reason.rawValue)
    parameters.add(detail)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 {
    try row.int32()
  }
}

/// Remembers tokens for the resume, while the circuit is open.
struct RememberSuspects: Statement {
  let place: CircuitPlace
  let suspects: [CircuitSuspect]

  static let sql = """
    INSERT INTO app_circuit_suspect (app_no, apns_environment, installation_no, token)
    SELECT c.app_no, c.apns_environment, u.no, min(u.token)
    FROM app_circuit c
    CROSS JOIN unnest($3::bigint[], $4::text[]) AS u (no, token)
    WHERE c.app_no = $1 AND c.apns_environment = $2 AND c.state = 2
    GROUP BY c.app_no, c.apns_environment, u.no
    ORDER BY u.no
    ON CONFLICT (app_no, apns_environment, installation_no) DO UPDATE
      SET token = excluded.token
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(place.app.value)
    parameters.add(place.environment.rawValue)
    parameters.add(suspects.map(\.installation.value))
    parameters.add(suspects.map(\.token))
  }

  typealias Row = NoRow
}
