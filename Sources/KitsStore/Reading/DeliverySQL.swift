import KitsCore
import Postgres

/// What lists of deliveries share. Queries name a delivery `x (message_no, chunk_no, idx, no, code, attempted_to)` and
/// the app `$1`.
///
/// Each look-up is a LATERAL with LIMIT 1: the planner doesn't know how few deliveries there are, and would rather read
/// all retries or events of the app.
enum DeliverySQL {
  static let columns = """
    o.class, o.reason,
    coalesce(
      greatest(t.attempts, d.attempts),
      CASE WHEN o.class IN (1, 2, 6) OR (x.code = 0 AND x.idx < x.attempted_to) THEN 1 ELSE 0 END),
    coalesce(d.resent, false), e1.received_at, e2.received_at
    """

  static let joins = """
    LEFT JOIN LATERAL (
      SELECT o.class, o.reason FROM outcome_code o WHERE o.code = x.code LIMIT 1
    ) o ON true
    LEFT JOIN LATERAL (
      SELECT t.attempts, t.last_status, t.last_reason, t.not_before
      FROM delivery_retry t
      WHERE t.app_no = $1 AND t.message_no = x.message_no AND t.chunk_no = x.chunk_no AND t.idx = x.idx
      LIMIT 1
    ) t ON true
    LEFT JOIN LATERAL (
      SELECT d.attempts, d.last_status, d.last_reason, d.resent
      FROM delivery_summary d
      WHERE d.app_no = $1 AND d.message_no = x.message_no AND d.chunk_no = x.chunk_no AND d.idx = x.idx
      LIMIT 1
    ) d ON true
    \(event("e1", type: 1))
    \(event("e2", type: 2))
    """

  private static func event(_ name: String, type: Int) -> String {
    """
    LEFT JOIN LATERAL (
      SELECT e.received_at, e.occurred_at, e.source
      FROM notification_event e
      WHERE e.app_no = $1 AND e.installation_no = x.no AND e.message_no = x.message_no AND e.type = \(type)
      LIMIT 1
    ) \(name) ON true
    """
  }

  /// Reads `columns`.
  static func decode(_ row: inout RowReader) throws(PostgresError) -> DeliveryStanding {
    DeliveryStanding(
      outcome: try row.known(OutcomeClass.self), reason: try row.string(), attempts: try row.int32(),
      isResent: try row.bool(), receivedAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)),
      clickedAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)))
  }
}
