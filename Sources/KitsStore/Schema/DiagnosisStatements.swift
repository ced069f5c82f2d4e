import KitsCore
import Postgres

struct ReadServer: Statement {
  static let sql = """
    SELECT current_setting('server_version'), current_setting('synchronous_commit'), current_setting('fsync'),
      current_setting('full_page_writes'),
      current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
      (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
      clock_timestamp(), pg_is_in_recovery()
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ServerDiagnosis {
    ServerDiagnosis(
      version: try row.string(), synchronousCommit: try row.string(), fsync: try row.string(),
      fullPageWrites: try row.string(), connectionLimit: try row.int32(), connections: try row.int64(),
      now: Timestamp(microseconds: try row.timestamp()), isStandby: try row.bool())
  }
}

/// The days from today to a week ahead that lack a partition, of chunks or of events, as dates.
struct ListMissingDays: Statement {
  static let sql = """
    SELECT DISTINCT d.ahead::integer AS ahead
    FROM generate_series(0, 7) AS d (ahead)
    CROSS JOIN (VALUES ('message_chunk'), ('notification_event')) AS p (name)
    WHERE to_regclass(
      format('%s_%s', p.name, to_char((now() AT TIME ZONE 'UTC')::date + d.ahead, 'YYYYMMDD'))) IS NULL
    ORDER BY ahead
    """

  func bind(to parameters: inout Parameters) {}

  /// Days from today.
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 {
    try row.int32()
  }
}

/// Leases of messages that didn't start just now, are still alive, not paused and not held by their throttle. Over
/// partial indexes of open work.
struct ReadWork: Statement {
  static let sql = """
    WITH k AS MATERIALIZED (
      SELECT k.lease_until
      FROM message m
      JOIN message_chunk k USING (app_no, message_no)
      WHERE NOT m.settled AND m.state = 2 AND m.expires_at > now()
        AND coalesce(m.started_at, to_timestamp((m.message_no >> 22) / 1000.0)) < now() - interval '10 seconds'
        AND (m.throttle_next IS NULL OR m.throttle_next <= now() - interval '10 seconds')
        AND NOT k.done AND k.not_before <= now() - interval '10 seconds'
        AND NOT EXISTS (
          SELECT
          FROM app_circuit z
          WHERE z.app_no = k.app_no AND z.apns_environment = k.apns_environment AND z.state = 2
        )
    )
    SELECT count(*) FILTER (WHERE k.lease_until >= now()),
      count(*) FILTER (WHERE k.lease_until < now()),
      count(*) FILTER (WHERE k.lease_until <> '-infinity' AND k.lease_until < now() - interval '1 minute'),
      coalesce(
        max(extract(epoch FROM now() - k.lease_until)) FILTER (
          WHERE k.lease_until <> '-infinity' AND k.lease_until < now() - interval '1 minute'), 0)::bigint,
      count(*) FILTER (WHERE k.lease_until > now() + interval '15 minutes'),
      (
        SELECT count(*)
        FROM delivery_retry r
        WHERE r.not_before < now() - interval '5 minutes' AND r.lease_until < now()
          AND NOT EXISTS (
            SELECT
            FROM app_circuit z
            WHERE z.app_no = r.app_no AND z.apns_environment = r.apns_environment AND z.state = 2
          )
      ),
      (SELECT count(*) FROM delivery_retry r WHERE r.lease_until > now() + interval '15 minutes'),
      (
        SELECT count(*)
        FROM message m
        WHERE NOT m.plan_done AND m.state IN (1, 2) AND m.expires_at > now()
          AND m.message_no < ((extract(epoch FROM now()) - 60) * 1000)::bigint << 22
          AND m.plan_lease_until < now() - interval '1 minute'
      )
    FROM k
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> WorkDiagnosis {
    WorkDiagnosis(
      held: try row.int64(), waiting: try row.int64(), overdue: try row.int64(), overdueSeconds: try row.int64(),
      endless: try row.int64(), retriesOverdue: try row.int64(), retriesEndless: try row.int64(),
      unplanned: try row.int64())
  }
}

/// Transactions of this database that are older than `seconds`, the oldest first, and slots that nobody reads.
struct ListLongTransactions: Statement {
  let seconds: Int32

  static let sql = """
    SELECT t.kind, t.name, t.pid, t.state, t.seconds, t.holds
    FROM (
      SELECT 1 AS kind, coalesce(nullif(a.application_name, ''), a.backend_type) AS name, a.pid,
        coalesce(a.state, 'unknown') AS state, extract(epoch FROM now() - a.xact_start)::bigint AS seconds,
        a.backend_xmin IS NOT NULL AS holds
      FROM pg_stat_activity a
      WHERE (a.datname = current_database() OR a.backend_type = 'walsender') AND a.pid <> pg_backend_pid()
        AND a.xact_start < now() - $1 * interval '1 second' AND a.backend_type <> 'autovacuum worker'
      UNION ALL
      SELECT 2, p.gid, 0, 'prepared', extract(epoch FROM now() - p.prepared)::bigint, true
      FROM pg_prepared_xacts p
      WHERE p.database = current_database() AND p.prepared < now() - $1 * interval '1 second'
      UNION ALL
      SELECT 3, s.slot_name::text, 0, 'inactive', 0, s.xmin IS NOT NULL OR s.catalog_xmin IS NOT NULL
      FROM pg_replication_slots s
      WHERE NOT s.active AND NOT s.temporary
    ) t
    ORDER BY t.kind, t.seconds DESC
    LIMIT 20
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(seconds)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> LongTransaction {
    let kind = LongTransaction.Kind(rawValue: try row.int32()) ?? .transaction
    return LongTransaction(
      kind: kind, name: try row.string(), processID: try row.int32(), state: try row.string(),
      seconds: try row.int64(), holdsSnapshot: try row.bool())
  }
}

/// Indexes that a broken CREATE INDEX CONCURRENTLY left behind: they cost every write and serve no read.
struct ListInvalidIndexes: Statement {
  static let sql = """
    SELECT c.relname::text
    FROM pg_index i
    JOIN pg_class c ON c.oid = i.indexrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND NOT i.indisvalid
      AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = c.oid)
    ORDER BY c.relname
    LIMIT 20
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> String {
    try row.string()
  }
}

struct ListSigningSealers: Statement {
  static let sql = """
    SELECT DISTINCT sealed_under
    FROM app_signing_secret
    ORDER BY sealed_under
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> String {
    try row.string()
  }
}

struct ListWebhookSealers: Statement {
  static let sql = """
    SELECT w.sealed_under
    FROM webhook w
    UNION
    SELECT w.previous_sealed_under
    FROM webhook w
    WHERE w.previous_until > now()
    ORDER BY 1
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> String {
    try row.string()
  }
}

/// All apps with their keys as they are stored.
struct ListAppKeys: Statement {
  static let sql = """
    SELECT a.app_id, a.name, a.bundle_id, a.platforms, k.team_id, k.key_id, k.fingerprint, k.sealed_under,
      k.private_key
    FROM app a
    LEFT JOIN apns_key k USING (app_no)
    ORDER BY a.app_no
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> AppDiagnosis {
    let (id, name, bundleID) = (AppID(try row.uuid()), try row.string(), try row.string())
    let platforms = try row.int16Array().compactMap(Platform.init(rawValue:))
    var key: SealedAPNsKey?
    if let team = try row.stringOrNil() {
      key = SealedAPNsKey(
        teamID: team, keyID: try row.string(), fingerprint: try row.bytes(), sealedUnder: try row.string(),
        sealedPrivateKey: try row.bytes())
    }
    return AppDiagnosis(id: id, name: name, bundleID: bundleID, platforms: platforms, key: key)
  }
}
