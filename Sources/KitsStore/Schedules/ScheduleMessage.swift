import KitsCore
import Postgres

/// Keeps a message that starts later. The idempotency row decides, as when a message is created.
struct ScheduleMessage: Statement {
  let new: NewSchedule

  static let sql = """
    WITH idem AS (
      INSERT INTO idempotency_key AS k (app_no, credential, key_hash, body_hash, message_id)
      SELECT $1, 1, $4::bytea, $5::bytea, $2
      WHERE $4::bytea IS NOT NULL
      ON CONFLICT (app_no, credential, key_hash) DO UPDATE
        SET body_hash = excluded.body_hash, message_id = excluded.message_id, created_at = now()
        WHERE k.created_at <= now() - interval '30 days' OR k.message_id = excluded.message_id
      RETURNING k.message_id
    ),
    msg AS (
      INSERT INTO message (
        app_no, message_id, state, created_by, target_kind, requested, verified_only, on_unknown, expires_at,
        plan_upto, plan_done, settled, send_at, local_at, zones_past, default_zone, due_at, throttle_per_minute,
        chosen_at, max_recipients, expected_count, expected_digest, track_events, track_receipts
      )
      SELECT $1, $2, 6, $3, $6, $7, $8, $9,
        \(ScheduleSQL.expiresAt(due: "$17::timestamptz", local: "$14::timestamptz", ttl: "$10::integer")), 0, true,
        true, $13, $14 AT TIME ZONE 'UTC', $15, $16, coalesce($17, now()), $18, now(), $19, $20,
        $21::text::numeric, $22, $23
      WHERE $4::bytea IS NULL OR EXISTS (SELECT FROM idem)
      ON CONFLICT (app_no, message_id) DO NOTHING
      RETURNING app_no, message_id, created_at, expires_at, state, planned
    ),
    \(OutboxSQL.messages(from: "msg", [(.messageCreated, "true")])),
    sch AS (
      INSERT INTO message_schedule (app_no, message_id, body, content)
      SELECT msg.app_no, msg.message_id, $11::json, $12::json
      FROM msg
    ),
    seg AS (
      INSERT INTO message_segment (app_no, message_id, segment_id, excluded)
      \(ScheduleSQL.segments(of: "$11::json", from: "msg"))
    )
    SELECT m.message_id, m.created_at, m.expires_at
    FROM msg m
    UNION ALL
    SELECT m.message_id, m.created_at, m.expires_at
    FROM message m
    WHERE m.app_no = $1 AND m.message_id = $2
    """

  func bind(to parameters: inout Parameters) {
    let message = new.message
    parameters.add(message.app.value)
    parameters.add(message.id.uuid)
    parameters.add(message.createdBy.uuid)
    parameters.add(message.idempotency?.keyHash)
    parameters.add(message.idempotency?.bodyHash)
    parameters.add(message.target.kind.rawValue)
    parameters.add(new.requested)
    parameters.add(message.isVerifiedOnly)
    parameters.add(message.onUnknown.rawValue)
    parameters.add(message.ttlSeconds)
    parameters.add(String(decoding: new.body, as: UTF8.self))
    parameters.add(String(decoding: message.contentJSON, as: UTF8.self))
    TimingRow.bind(new.timing, to: &parameters)
    message.guards.bind(to: &parameters)
    parameters.add(message.tracking.contains(.events))
    parameters.add(message.tracking.contains(.receipts))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> CreatedMessage {
    CreatedMessage(
      id: MessageID(try row.uuid()), createdAt: Timestamp(microseconds: try row.timestamp()),
      expiresAt: Timestamp(microseconds: try row.timestamp()), unmatched: .none)
  }
}
