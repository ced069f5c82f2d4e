import KitsCore
import Postgres

/// How much of a message was confirmed. Counted from the hours, which stay when the records are forgotten.
struct ReadEngagement: Statement {
  let app: AppNumber
  let message: MessageID

  static let sql = """
    SELECT m.track_events, m.track_receipts, coalesce(sum(h.count) FILTER (WHERE h.type = 1), 0)::bigint,
      coalesce(sum(h.count) FILTER (WHERE h.type = 2), 0)::bigint
    FROM message m
    LEFT JOIN event_hour h ON h.app_no = m.app_no AND h.message_no = m.message_no
    WHERE m.app_no = $1 AND m.message_id = $2
    GROUP BY m.track_events, m.track_receipts
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(message.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Engagement {
    Engagement(
      tracking: Tracking(events: try row.bool(), receipts: try row.bool()), received: try row.int64(),
      clicked: try row.int64())
  }
}

/// The same hour by hour. One row without an hour when there is none.
struct ReadTimeline: Statement {
  let environment: EnvironmentNumber
  let id: MessageID

  static let sql = """
    SELECT m.track_events, m.track_receipts, m.started_at, now(), h.hour, h.received, h.clicked
    FROM app a
    JOIN message m ON m.app_no = a.app_no AND m.message_id = $2
    LEFT JOIN LATERAL (
      SELECT date_trunc('hour', h.hour, 'UTC') AS hour,
        coalesce(sum(h.count) FILTER (WHERE h.type = 1), 0)::bigint AS received,
        coalesce(sum(h.count) FILTER (WHERE h.type = 2), 0)::bigint AS clicked
      FROM event_hour h
      WHERE h.app_no = m.app_no AND h.message_no = m.message_no
      GROUP BY 1
    ) h ON true
    WHERE a.environment_no = $1
    ORDER BY h.hour
    """

  typealias Row = (tracking: Tracking, startedAt: Timestamp?, readAt: Timestamp, hour: Timeline.Hour?)

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let tracking = Tracking(events: try row.bool(), receipts: try row.bool())
    let startedAt = try row.timestampOrNil().map(Timestamp.init(microseconds:))
    let readAt = Timestamp(microseconds: try row.timestamp())
    guard let start = try row.timestampOrNil().map(Timestamp.init(microseconds:)) else {
      return (tracking: tracking, startedAt: startedAt, readAt: readAt, hour: nil)
    }
    let hour = Timeline.Hour(start: start, received: try row.int64(), clicked: try row.int64())
    return (tracking: tracking, startedAt: startedAt, readAt: readAt, hour: hour)
  }
}
