package import KitsCore
import Postgres

/// A message with chunks that can be taken now.
package struct OpenMessage: Hashable, Sendable {
  package let app: AppNumber
  package let message: MessageNumber

  package init(app: AppNumber, message: MessageNumber) {
    self.app = app
    self.message = message
  }
}

struct ListOpenMessages: Statement {
  let limit: Int32

  static let sql = """
    SELECT m.app_no, m.message_no
    FROM message m
    WHERE NOT m.settled AND m.state = 2 AND m.expires_at > now() AND NOT (m.plan_done AND m.planned = 1)
      AND \(Throttle.mayBeOpen)
      AND EXISTS (
        SELECT
        FROM message_chunk k
        WHERE k.app_no = m.app_no AND k.message_no = m.message_no AND NOT k.done AND k.not_before <= now()
          AND k.lease_until < now()
          AND NOT EXISTS (
            SELECT
            FROM app_circuit z
            WHERE z.app_no = k.app_no AND z.apns_environment = k.apns_environment AND z.state = 2
          )
      )
    ORDER BY m.message_no
    LIMIT $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> OpenMessage {
    OpenMessage(app: AppNumber(try row.int64()), message: MessageNumber(try row.int64()))
  }
}

/// Completes a message whose recipients all have a final outcome. Does nothing when that isn't so.
struct FinishMessage: Statement {
  let message: OpenMessage

  static let sql = """
    WITH u AS (
      UPDATE message m
      SET state = CASE WHEN m.state = 2 THEN 3 ELSE m.state END,
        completed_at = CASE WHEN m.state = 2 THEN now() END,
        settled = true
      WHERE m.app_no = $1 AND m.message_no = $2 AND m.state IN (2, 4) AND m.plan_done AND NOT m.settled
        AND NOT EXISTS (
          SELECT FROM message_chunk k WHERE k.app_no = $1 AND k.message_no = $2 AND NOT k.done
        )
        AND NOT EXISTS (
          SELECT FROM delivery_retry r WHERE r.app_no = $1 AND r.message_no = $2
        )
      RETURNING m.app_no, m.message_id, m.state, m.planned
    ),
    \(OutboxSQL.messages(from: "u", [(.messageCompleted, "m.state = 3")]))
    SELECT true
    FROM u
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(message.app.value)
    parameters.add(message.message.value)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool {
    try row.bool()
  }
}
