import Postgres

struct FindPartitions: Statement {
  static let sql = """
    SELECT bool_and(to_regclass(format('%s_%s', p.name, to_char(d.day, 'YYYYMMDD'))) IS NOT NULL)
    FROM generate_series(0, 1) AS o (ahead)
    CROSS JOIN (VALUES ('message_chunk'), ('notification_event')) AS p (name)
    CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE 'UTC')::date + o.ahead AS day) d
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool {
    try row.bool()
  }
}

/// Each count runs over a partial index that holds open work alone. Scheduled messages are no backlog, and neither is
/// what waits for its time, its lease, its guards or its throttle, or for a paused app; `late` is how long the oldest
/// rest could have been taken.
struct ReadBacklog: Statement {
  static let sql = """
    SELECT m.messages, m.oldest, c.deliveries, r.retries, z.pauses, s.scheduled, s.overdue, c.late
    FROM (
      SELECT count(*) AS messages,
        coalesce((extract(epoch FROM now() - min(coalesce(started_at, begun))) * 1000)::bigint, 0) AS oldest
      FROM message
      CROSS JOIN LATERAL (SELECT to_timestamp((message_no >> 22) / 1000.0) AS begun) b
      WHERE NOT settled AND state <> 6
    ) m
    CROSS JOIN (
      SELECT coalesce(sum(k.n - k.acked_to), 0)::bigint AS deliveries,
        coalesce((extract(epoch FROM now()) * 1000)::bigint - min(
          greatest(
            k.message_no >> 22,
            CASE WHEN isfinite(k.not_before) THEN (extract(epoch FROM k.not_before) * 1000)::bigint END)
        ) FILTER (
          WHERE k.not_before <= now() AND k.lease_until < now() AND NOT EXISTS (
            SELECT
            FROM app_circuit z
            WHERE z.app_no = k.app_no AND z.apns_environment = k.apns_environment AND z.state = 2
          ) AND EXISTS (
            SELECT
            FROM message m
            WHERE m.app_no = k.app_no AND m.message_no = k.message_no AND m.state = 2 AND m.throttle_per_minute IS NULL
          )
        ), 0) AS late
      FROM message_chunk k
      WHERE NOT k.done
    ) c
    CROSS JOIN (
      SELECT count(*) AS retries
      FROM delivery_retry
    ) r
    CROSS JOIN (
      SELECT count(*) AS pauses
      FROM app_circuit
      WHERE state = 2
    ) z
    CROSS JOIN (
      SELECT count(*) AS scheduled,
        coalesce((extract(epoch FROM now() - least(now(), min(\(TimingRow.startsAt)))) * 1000)::bigint, 0) AS overdue
      FROM message m
      WHERE m.due_at IS NOT NULL
    ) s
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Backlog {
    Backlog(
      messages: try row.int64(), oldestMilliseconds: try row.int64(), deliveries: try row.int64(),
      retries: try row.int64(), pauses: try row.int64(), scheduled: try row.int64(),
      overdueMilliseconds: try row.int64(), lateMilliseconds: max(0, try row.int64()))
  }
}

/// The newest settled messages of each app, of the last hour. OFFSET 0 keeps the ledger's query inside the loop, where
/// the numbers of one message bound it. Single events aren't looked at: that would be a look-up per recipient.
struct CountLedgerMismatches: Statement {
  static let sql = """
    SELECT count(*)
    FROM app a
    CROSS JOIN LATERAL (
      SELECT m.app_no, m.message_no
      FROM message m
      WHERE m.app_no = a.app_no AND m.settled
        AND m.message_no >= ((extract(epoch FROM now()) - 3600) * 1000)::bigint << 22
      ORDER BY m.message_no DESC
      LIMIT 20
    ) s
    CROSS JOIN LATERAL (
      SELECT l.targeted, l.counted, l.pending, l.attempted, greatest(l.received_hours, l.clicked_hours) AS events
      FROM message_conservation l
      WHERE l.app_no = s.app_no AND l.message_no = s.message_no
      OFFSET 0
    ) l
    WHERE l.targeted <> l.counted OR l.pending <> 0 OR l.events > l.attempted
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 {
    try row.int64()
  }
}
