import KitsCore
import Postgres

/// Records the events of a set of requests, at most one request of each installation, and counts the new ones by the
/// hour. Locks come first and in order; what is locked elsewhere answers busy. While the lock is held nobody logs out
/// and no user is erased, so an event is never kept that their erasure should have taken along.
///
/// A day without partition is answered as too old: an insert into it would fail the batch. Only what was inserted is
/// counted, so that repeating the statement counts nothing twice. It is looked up by IN, which makes a hash of it: a
/// join, whose plan is made without knowing the numbers, compared each event with all of them.
struct RecordEvents: Statement {
  let reports: [EventReport]

  typealias Row = BatchedRow<EventAnswer>

  private static let requests = """
    r AS MATERIALIZED (
      SELECT *
      FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::smallint[]) WITH ORDINALITY
        AS u (app_no, installation_no, generation, source, ord)
    ),
    t AS MATERIALIZED (
      SELECT r.ord, r.source, i.app_no, i.installation_no, i.binding_number, r.generation = i.generation AS is_valid,
        i.coppa OR r.source = \(NotificationEventSource.app.rawValue) AND (
          NOT i.collection_enabled
          OR i.collection & \(CollectionConsent.Features.notificationEvents.rawValue) = 0
        ) AS is_off
      FROM r
      JOIN installation i USING (app_no, installation_no)
      ORDER BY i.app_no, i.installation_no
      FOR NO KEY UPDATE OF i SKIP LOCKED
    )
    """

  /// The record rules. `turn`: how often the same request has told the same event up to here.
  private static let decisions = """
    live AS MATERIALIZED (
      SELECT right(c.relname::text, 8) AS day
      FROM pg_inherits n
      JOIN pg_class c ON c.oid = n.inhrelid
      WHERE n.inhparent = 'notification_event'::regclass AND NOT n.inhdetachpending
    ),
    e AS MATERIALIZED (
      SELECT u.place, u.message_no, u.binding, u.type, u.occurred_at, u.ord,
        to_timestamp((u.message_no >> 22) / 1000.0) AS sent_at
      FROM unnest($5::integer[], $6::bigint[], $7::bigint[], $8::smallint[], $9::timestamptz[]) WITH ORDINALITY
        AS u (place, message_no, binding, type, occurred_at, ord)
    ),
    s AS MATERIALIZED (
      SELECT e.place, e.ord, e.message_no, e.binding, e.type, e.sent_at, t.app_no, t.installation_no, t.source,
        least(greatest(e.occurred_at, e.sent_at), now()) AS occurred_at, e.occurred_at IS NOT NULL AS is_timed,
        row_number() OVER (PARTITION BY e.place, e.message_no, e.type, e.binding ORDER BY e.ord) AS turn,
        CASE
          WHEN t.is_off THEN \(EventAnswer.collectionOff.rawValue)
          WHEN e.binding <> t.binding_number THEN \(EventAnswer.bindingChanged.rawValue)
          WHEN e.sent_at < now() - interval '\(Limits.eventAgeSeconds) s'
            OR to_char(e.sent_at AT TIME ZONE 'UTC', 'YYYYMMDD') NOT IN (SELECT l.day FROM live l)
            THEN \(EventAnswer.tooOld.rawValue)
          ELSE \(EventAnswer.recorded.rawValue)
        END::smallint AS status
      FROM e
      JOIN t ON t.ord = e.place
      WHERE t.is_valid IS NOT FALSE
    )
    """

  /// `fresh_events`: the rows that were not there before.
  private static let records = """
    fresh_events AS (
      INSERT INTO notification_event (
        app_no, installation_no, message_no, type, source, binding_number, occurred_at
      )
      SELECT s.app_no, s.installation_no, s.message_no, s.type, s.source, s.binding,
        CASE WHEN s.is_timed THEN s.occurred_at END
      FROM s
      WHERE s.status = \(EventAnswer.recorded.rawValue) AND s.turn = 1
      ORDER BY s.app_no, s.installation_no, s.message_no, s.type
      ON CONFLICT (app_no, installation_no, message_no, type) DO NOTHING
      RETURNING app_no, installation_no, message_no, type, source, binding_number, occurred_at, received_at
    ),
    hours AS (
      INSERT INTO event_hour AS h (app_no, message_no, type, hour, count)
      SELECT f.app_no, f.message_no, f.type, date_trunc('hour', now(), 'UTC'), count(*)
      FROM fresh_events f
      GROUP BY f.app_no, f.message_no, f.type
      ORDER BY f.app_no, f.message_no, f.type
      ON CONFLICT (app_no, message_no, type, hour) DO UPDATE
        SET count = h.count + excluded.count
    )
    """

  static let sql = """
    WITH \(requests),
    \(decisions),
    \(records),
    \(OutboxSQL.notifications(from: "fresh_events"))
    SELECT (r.ord - 1)::integer, s.ord,
      CASE
        WHEN s.status <> \(EventAnswer.recorded.rawValue) THEN s.status
        WHEN s.turn = 1
          AND (s.app_no, s.installation_no, s.message_no, s.type) IN (
            SELECT f.app_no, f.installation_no, f.message_no, f.type FROM fresh_events f
          )
          THEN s.status
        WHEN s.ord IS NOT NULL THEN \(EventAnswer.duplicate.rawValue)::smallint
      END,
      t.ord IS NULL AND EXISTS (
        SELECT FROM installation x WHERE x.app_no = r.app_no AND x.installation_no = r.installation_no
      ),
      t.ord IS NULL OR t.is_valid IS FALSE
    FROM r
    LEFT JOIN t USING (ord)
    LEFT JOIN s ON s.place = r.ord
    ORDER BY s.ord
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(reports.map(\.app.value))
    parameters.add(reports.map(\.installation.value))
    parameters.add(reports.map(\.reporter.generation))
    parameters.add(reports.map(\.reporter.source.rawValue))
    let events = reports.enumerated().flatMap { place, report in report.events.map { (place: place, event: $0) } }
    parameters.add(events.map { Int32($0.place + 1) })
    parameters.add(events.map(\.event.message.value))
    parameters.add(events.map(\.event.binding))
    parameters.add(events.map(\.event.type.rawValue))
    parameters.add(timestamps: events.map(\.event.occurredAt?.microseconds))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    try Row.decode(&row) { EventAnswer(rawValue: $0) }
  }
}
