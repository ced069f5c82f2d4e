import KitsCore
import Postgres

/// Hours to count now: those that were never counted, and those in which something may have changed since. The older
/// one is, the seldomer: an hour of yesterday every 24 minutes, one of a month ago every 12 hours, and none after 32
/// days, when no event is taken any more.
///
/// Of each app the first one after the newest that is known is looked for, so that after a pause each call finds the
/// next and none is passed over; and of the last three hours those before it, since a message is visible a moment after
/// its number was made.
struct ListMessageHours: Statement {
  let leastSeconds: Int32
  let limit: Int32

  static let sql = """
    SELECT x.app_no, x.hour, x.settled
    FROM app a
    CROSS JOIN LATERAL (
      SELECT coalesce(max(h.hour), '1970-01-01 00:00:00+00') AS newest
      FROM message_hour h
      WHERE h.app_no = a.app_no
    ) k
    CROSS JOIN LATERAL (
      SELECT h.app_no, h.hour, h.settled
      FROM message_hour h
      WHERE h.app_no = a.app_no AND (h.hour > now() - interval '32 days' OR NOT h.settled)
        AND h.counted_at <= now() - greatest($1 * interval '1 second', (now() - h.hour) / 60)
      UNION
      SELECT a.app_no, n.hour, false
      FROM (
        SELECT k.newest + interval '1 hour' AS start, 'infinity' AS before
        UNION ALL
        SELECT date_bin('1 hour', now(), '1970-01-01 00:00:00+00') - back * interval '1 hour', k.newest
        FROM generate_series(0, 2) back
      ) s
      CROSS JOIN LATERAL (
        SELECT date_bin('1 hour', to_timestamp((m.message_no >> 22) / 1000.0), '1970-01-01 00:00:00+00') AS hour
        FROM message m
        WHERE m.app_no = a.app_no AND m.message_no >= (extract(epoch FROM s.start) * 1000)::bigint << 22
        ORDER BY m.message_no
        LIMIT 1
      ) n
      WHERE n.hour < s.before
        AND NOT EXISTS (SELECT FROM message_hour h WHERE h.app_no = a.app_no AND h.hour = n.hour)
    ) x
    ORDER BY x.hour DESC, x.app_no
    LIMIT $2
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(leastSeconds)
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> MessageHour {
    MessageHour(
      app: AppNumber(try row.int64()), start: Timestamp(microseconds: try row.timestamp()), isSettled: try row.bool())
  }
}

/// Counts an hour's messages, their recipients by class, and the events about them. Chunks that are accepted as a whole
/// are not unfolded. An hour isn't settled before it is an hour ago: what was begun in it is visible by then.
struct CountMessageHour: Statement {
  let hour: MessageHour

  static let sql = """
    WITH m AS MATERIALIZED (
      SELECT m.message_no, m.planned, m.settled
      FROM message m
      WHERE m.app_no = $1 AND m.message_no >= $3 AND m.message_no < $4
        -- One that was canceled while it was scheduled never started.
        AND NOT (m.state = 4 AND m.started_at IS NULL AND m.planned = 0)
    ),
    r AS MATERIALIZED (
      SELECT r.message_no, r.codes, r.counts
      FROM message_rollup r
      WHERE r.app_no = $1 AND r.message_no >= $3 AND r.message_no < $4
    ),
    c AS MATERIALIZED (
      SELECT k.n, k.outcomes, k.outcomes = decode(repeat('01', k.n), 'hex') AS whole
      FROM message_chunk k
      WHERE k.app_no = $1 AND k.message_no >= $3 AND k.message_no < $4
        AND NOT EXISTS (SELECT FROM r WHERE r.message_no = k.message_no)
    ),
    counts AS (
      SELECT u.code, u.count
      FROM r
      CROSS JOIN LATERAL unnest(r.codes, r.counts) AS u (code, count)
      UNION ALL
      SELECT 1, sum(c.n)
      FROM c
      WHERE c.whole
      UNION ALL
      SELECT get_byte(c.outcomes, i), count(*)
      FROM c
      CROSS JOIN LATERAL generate_series(0, c.n - 1) i
      WHERE NOT c.whole
      GROUP BY 1
    ),
    s AS (
      SELECT \(classes)
      FROM counts x
      JOIN outcome_code o ON o.code = x.code
    )
    INSERT INTO message_hour AS h (
      app_no, hour, messages, targeted, pending, accepted, failed, suppressed, expired, canceled, unknown, received,
      clicked, settled
    )
    SELECT $1, $2, t.messages, t.targeted, s.*, e.received, e.clicked,
      t.settled AND $2 < now() - interval '2 hours'
    FROM (
      SELECT count(*) AS messages, coalesce(sum(m.planned), 0) AS targeted,
        coalesce(bool_and(m.settled), true) AS settled
      FROM m
    ) t
    CROSS JOIN s
    CROSS JOIN (\(events)) e
    ON CONFLICT (app_no, hour) DO UPDATE
      SET messages = excluded.messages, targeted = excluded.targeted, pending = excluded.pending,
        accepted = excluded.accepted, failed = excluded.failed, suppressed = excluded.suppressed,
        expired = excluded.expired, canceled = excluded.canceled, unknown = excluded.unknown,
        received = excluded.received, clicked = excluded.clicked, settled = excluded.settled, counted_at = now()
    """

  /// In the order of `OutcomeClass`, which is that of the columns.
  private static let classes =
    OutcomeClass.allCases
    .map { "coalesce(sum(x.count) FILTER (WHERE o.class = \($0.rawValue)), 0)" }.joined(separator: ", ")

  static let events = """
    SELECT coalesce(sum(v.count) FILTER (WHERE v.type = 1), 0) AS received,
        coalesce(sum(v.count) FILTER (WHERE v.type = 2), 0) AS clicked
      FROM event_hour v
      WHERE v.app_no = $1 AND v.message_no >= $3 AND v.message_no < $4
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(hour: hour)
  }

  typealias Row = NoRow
}

/// Counts the events about the messages of an hour whose outcomes are known for good.
struct CountHourEvents: Statement {
  let hour: MessageHour

  static let sql = """
    UPDATE message_hour h
    SET received = e.received, clicked = e.clicked, counted_at = now()
    FROM (\(CountMessageHour.events)) e
    WHERE h.app_no = $1 AND h.hour = $2
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(hour: hour)
  }

  typealias Row = NoRow
}

extension Parameters {
  fileprivate mutating func add(hour: MessageHour) {
    add(hour.app.value)
    add(timestamp: hour.start.microseconds)
    add(hour.low)
    add(hour.high)
  }
}

/// Counts of hours beyond what a report shows.
struct ForgetMessageHours: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = OldRows.delete(from: "message_hour", by: "hour")

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  typealias Row = NoRow
}

/// Counts of days beyond what a report shows.
struct ForgetDeviceDays: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = OldRows.delete(from: "device_day", by: "day")

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  typealias Row = NoRow
}
