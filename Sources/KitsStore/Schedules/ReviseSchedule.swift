import KitsCore
import Postgres

/// Compare-and-set on the revision, while the message is scheduled. The change that this very call made before is found
/// again by its body. What was past is decided anew.
struct ReviseSchedule: Statement {
  let change: ScheduleRevision

  static let sql = """
    WITH t AS MATERIALIZED (
      SELECT m.app_no, m.message_id, m.state,
        CASE
          WHEN m.state <> 6 THEN 4
          WHEN m.revision = $3 THEN 1
          WHEN m.revision = $3 + 1 AND s.body::text = $9 THEN 2
          ELSE 3
        END AS status
      FROM message m
      LEFT JOIN message_schedule s USING (app_no, message_id)
      WHERE m.app_no = $1 AND m.message_id = $2
      FOR NO KEY UPDATE OF m
    ),
    msg AS (
      UPDATE message m
      SET target_kind = $4, requested = $5, verified_only = $6, on_unknown = $7,
        expires_at = \(ScheduleSQL.expiresAt(due: "$15::timestamptz", local: "$12::timestamptz", ttl: "$8::integer")),
        send_at = $11, local_at = $12 AT TIME ZONE 'UTC', zones_past = $13, default_zone = $14,
        due_at = coalesce($15, now()), throttle_per_minute = $16, chosen_at = now(), revision = m.revision + 1,
        max_recipients = $17, expected_count = $18, expected_digest = $19::text::numeric,
        track_events = $20, track_receipts = $21
      FROM t
      WHERE t.status = 1 AND m.app_no = t.app_no AND m.message_id = t.message_id
      RETURNING m.app_no, m.message_id
    ),
    sch AS (
      UPDATE message_schedule s
      SET body = $9::json, content = $10::json
      FROM msg
      WHERE s.app_no = msg.app_no AND s.message_id = msg.message_id
    ),
    named AS MATERIALIZED (
      \(ScheduleSQL.segments(of: "$9::json", from: "msg"))
    ),
    gone AS (
      DELETE FROM message_segment u
      USING msg
      WHERE u.app_no = msg.app_no AND u.message_id = msg.message_id
        AND NOT EXISTS (SELECT FROM named n WHERE n.segment_id = u.segment_id)
    ),
    seg AS (
      INSERT INTO message_segment AS u (app_no, message_id, segment_id, excluded)
      SELECT n.app_no, n.message_id, n.segment_id, n.excluded
      FROM named n
      ON CONFLICT (app_no, message_id, segment_id) DO UPDATE SET excluded = excluded.excluded
    )
    SELECT t.status, t.state
    FROM t
    """

  func bind(to parameters: inout Parameters) {
    let message = change.schedule.message
    parameters.add(message.app.value)
    parameters.add(message.id.uuid)
    parameters.add(change.revision)
    parameters.add(message.target.kind.rawValue)
    parameters.add(change.schedule.requested)
    parameters.add(message.isVerifiedOnly)
    parameters.add(message.onUnknown.rawValue)
    parameters.add(message.ttlSeconds)
    parameters.add(String(decoding: change.schedule.body, as: UTF8.self))
    parameters.add(String(decoding: message.contentJSON, as: UTF8.self))
    TimingRow.bind(change.schedule.timing, to: &parameters)
    message.guards.bind(to: &parameters)
    parameters.add(message.tracking.contains(.events))
    parameters.add(message.tracking.contains(.receipts))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ScheduleRevision.Answer {
    switch try row.int32() {
    case 1, 2: .revised
    case 3: .changed
    default: .over(try row.known(MessageState.self))
    }
  }
}
