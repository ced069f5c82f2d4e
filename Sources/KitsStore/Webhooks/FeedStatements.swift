package import KitsCore
import Postgres

/// Gives the next numbers of the feed to events that were committed since, in the order in which they were written.
///
/// Whoever sees an event of a message sees the earlier ones too: their transaction had ended before the later one could
/// change the message. So each statement's snapshot holds a message's events without gaps, and numbering them by
/// event_no keeps their order. The lock of the feed's row makes numbers appear one statement after the other, so that
/// nothing is ever added behind a reader.
struct NumberEvents: Statement {
  let limit: Int32

  static let sql = """
    WITH f AS MATERIALIZED (
      SELECT f.last
      FROM outbox_feed f
      WHERE f.feed = 1 AND EXISTS (SELECT FROM outbox_event e WHERE e.feed_no IS NULL)
      FOR NO KEY UPDATE SKIP LOCKED
    ),
    n AS MATERIALIZED (
      SELECT e.app_no, e.event_no, f.last + row_number() OVER (ORDER BY e.event_no) AS feed_no
      FROM f
      CROSS JOIN LATERAL (
        SELECT e.app_no, e.event_no
        FROM outbox_event e
        WHERE e.feed_no IS NULL
        ORDER BY e.event_no
        LIMIT $1
      ) e
    ),
    numbered AS (
      UPDATE outbox_event e
      SET feed_no = n.feed_no
      FROM n
      WHERE e.app_no = n.app_no AND e.event_no = n.event_no AND e.feed_no IS NULL
    ),
    moved AS (
      UPDATE outbox_feed f
      SET last = n.last
      FROM (SELECT max(n.feed_no) AS last FROM n) n
      WHERE f.feed = 1 AND n.last IS NOT NULL
    )
    SELECT count(*)
    FROM n
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 {
    try row.int64()
  }
}

/// The columns of an event in the order in which `decode` reads them; queries name the row `e`.
enum EventRow {
  static let columns = "e.event_id, e.app_no, e.feed_no, e.type, e.created_at, e.data"

  static func decode(_ row: inout RowReader) throws(PostgresError) -> FeedEvent {
    FeedEvent(
      id: EventID(try row.uuid()), app: AppNumber(try row.int64()), number: try row.int64(),
      type: try row.known(EventType.self), at: Timestamp(microseconds: try row.timestamp()), data: try row.json())
  }
}

/// Which events of an environment a caller wants.
package struct EventSelection: Sendable {
  package let environment: EnvironmentNumber
  package let app: AppID?
  package let types: [EventType]
  /// The number after which to go on.
  package let after: Int64

  package init(environment: EnvironmentNumber, app: AppID?, types: [EventType], after: Int64) {
    self.environment = environment
    self.app = app
    self.types = types
    self.after = after
  }
}

/// A part of the feed, the oldest first.
struct ReadEvents: Statement {
  let selection: EventSelection
  let limit: Int32

  static let sql = """
    SELECT \(EventRow.columns)
    FROM app a
    CROSS JOIN LATERAL (
      SELECT e.*
      FROM outbox_event e
      WHERE e.app_no = a.app_no AND e.feed_no > $3 AND e.type = ANY ($4)
      ORDER BY e.feed_no
      LIMIT $5
    ) e
    WHERE a.environment_no = $1 AND ($2::uuid IS NULL OR a.app_id = $2)
    ORDER BY e.feed_no
    LIMIT $5
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(selection.environment.value)
    parameters.add(selection.app?.uuid)
    parameters.add(selection.after)
    parameters.add(selection.types.map(\.rawValue))
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> FeedEvent { try EventRow.decode(&row) }
}

/// The number of the newest event.
struct ReadFeedEnd: Statement {
  static let sql = "SELECT last FROM outbox_feed WHERE feed = 1"

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.int64() }
}

/// What endpoints didn't take goes before the events themselves.
struct ForgetWebhookDeliveries: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = OldRows.delete(from: "webhook_delivery", by: "event_at")

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  typealias Row = NoRow
}

struct ForgetEvents: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = OldRows.delete(from: "outbox_event", by: "created_at")

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  typealias Row = NoRow
}
