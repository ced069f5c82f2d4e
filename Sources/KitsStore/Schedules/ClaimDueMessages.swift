import KitsCore
import Postgres

/// Locks some scheduled messages whose time has come, for the transaction that starts them: another node passes them,
/// and finds them again if this one doesn't commit. Their uses of segments go, as the start notes them again.
///
/// A claim has at most `limit` messages, and ends with the one whose body brings it to `bytes`. Both rows are
/// locked, so that a body is the one of its revision.
struct ClaimDueMessages: Statement {
  let limit: Int32
  let bytes: Int64

  static let sql = """
    WITH d AS MATERIALIZED (
      SELECT m.app_no, m.message_id, m.created_by, m.revision, m.verified_only, m.due_at, m.local_at,
        s.body::text AS body
      FROM message m
      JOIN message_schedule s USING (app_no, message_id)
      WHERE m.due_at <= now()
      ORDER BY m.due_at
      LIMIT $1
      FOR NO KEY UPDATE OF m, s SKIP LOCKED
    ),
    b AS MATERIALIZED (
      SELECT x.app_no, x.message_id, x.created_by, x.revision, x.verified_only, x.local_at, x.body
      FROM (
        SELECT d.app_no, d.message_id, d.created_by, d.revision, d.verified_only, d.local_at,
          d.body,
          sum(octet_length(d.body)) OVER (ORDER BY d.due_at, d.app_no, d.message_id) - octet_length(d.body) AS before
        FROM d
      ) x
      WHERE x.before < $2
    ),
    unlinked AS (
      DELETE FROM message_segment u
      USING b
      WHERE u.app_no = b.app_no AND u.message_id = b.message_id
    )
    SELECT b.message_id, b.app_no, b.created_by, b.revision, v.auth_mode = 2 AND NOT v.shadow,
      b.verified_only, EXISTS (
        SELECT
        FROM message_segment u
        JOIN segment s USING (app_no, segment_id)
        WHERE u.app_no = b.app_no AND u.message_id = b.message_id
          AND (NOT s.include_anonymous OR jsonb_path_exists(s.filter, '\(FilterSQL.asksAboutUser)'))
      ),
      b.local_at AT TIME ZONE 'UTC', b.body
    FROM b
    JOIN app a USING (app_no)
    JOIN environment v USING (environment_no)
    ORDER BY b.app_no, b.message_id
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(limit)
    parameters.add(bytes)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> DueMessage {
    DueMessage(
      id: MessageID(try row.uuid()), app: AppNumber(try row.int64()), createdBy: ServerKeyID(try row.uuid()),
      revision: try row.int64(), enforcesProof: try row.bool(), isVerifiedOnly: try row.bool(),
      segmentsDependOnUser: try row.bool(),
      localAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)), body: Array(try row.string().utf8))
  }
}

/// Puts a message off that can't be started, so that it doesn't stand in the way of others.
struct PostponeStart: Statement {
  let message: DueMessage

  static let sql = """
    UPDATE message
    SET due_at = now() + interval '1 minute'
    WHERE app_no = $1 AND message_id = $2 AND revision = $3 AND due_at <= now()
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(message.app.value)
    parameters.add(message.id.uuid)
    parameters.add(message.revision)
  }

  typealias Row = NoRow
}
