import KitsCore
import Postgres

/// Closes open chunks of messages that were canceled or have expired: what was never declared gets that outcome, what
/// was declared without an answer is unknown. Chunks under a live lease are left to their owner, and after the
/// database's start so are those whose lease ended meanwhile: the owner may be about to write.
struct SweepChunks: Statement {
  let limit: Int32

  static let sql = """
    WITH c AS MATERIALIZED (
      SELECT k.app_no, k.message_no, k.chunk_no, CASE WHEN m.state = 4 THEN 17 ELSE 16 END AS code
      FROM message m
      JOIN message_chunk k USING (app_no, message_no)
      WHERE NOT m.settled AND (m.state = 4 OR (m.state = 2 AND m.expires_at <= now())) AND NOT k.done
        AND k.lease_until < now()
        AND (k.lease_until = '-infinity' OR pg_postmaster_start_time() < now() - interval '15 seconds')
      ORDER BY k.app_no, k.message_no, k.chunk_no
      LIMIT $1
      FOR NO KEY UPDATE OF k SKIP LOCKED
    )
    UPDATE message_chunk k
    SET done = true,
      lease_epoch = k.lease_epoch + 1,
      last_at = now(),
      outcomes = (
        SELECT string_agg(
          set_byte(
            '\\x00'::bytea, 0,
            CASE
              WHEN get_byte(k.outcomes, i) <> 0 THEN get_byte(k.outcomes, i)
              WHEN i < k.attempted_to THEN 18
              ELSE c.code
            END),
          ''::bytea ORDER BY i)
        FROM generate_series(0, k.n - 1) i
      )
    FROM c
    WHERE k.app_no = c.app_no AND k.message_no = c.message_no AND k.chunk_no = c.chunk_no
    RETURNING k.app_no
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> AppNumber {
    AppNumber(try row.int64())
  }
}

/// Makes retries of ended messages due, so that whoever takes retries gives them their final outcome; and those that
/// were put off for a pause that was over by then.
struct HastenRetries: Statement {
  static let sql = """
    UPDATE delivery_retry r
    SET not_before = now()
    FROM message m
    WHERE m.app_no = r.app_no AND m.message_no = r.message_no AND r.not_before > now()
      AND (
        m.state = 4 OR m.expires_at <= now()
        OR r.not_before > now() + interval '1 day' AND NOT EXISTS (
          SELECT
          FROM app_circuit z
          WHERE z.app_no = r.app_no AND z.apns_environment = r.apns_environment AND z.state = 2
        )
      )
    """

  func bind(to parameters: inout Parameters) {}

  typealias Row = NoRow
}

/// Ends planning of messages that expired before it was through. What guards held back expires with the rest.
struct StopExpiredPlans: Statement {
  static let sql = """
    UPDATE message m
    SET plan_done = true,
      state = CASE WHEN m.planned = 0 THEN 3 ELSE 2 END,
      settled = m.planned = 0,
      completed_at = CASE WHEN m.planned = 0 THEN now() END
    WHERE NOT m.plan_done AND m.state IN (1, 2) AND m.expires_at <= now() AND m.plan_lease_until < now()
    """

  func bind(to parameters: inout Parameters) {}

  typealias Row = NoRow
}

/// Messages that may be over: the finishing statement looks closer.
struct ListFinishable: Statement {
  static let sql = """
    SELECT m.app_no, m.message_no
    FROM message m
    WHERE NOT m.settled AND m.plan_done AND m.state IN (2, 4)
      AND NOT EXISTS (
        SELECT FROM message_chunk k WHERE k.app_no = m.app_no AND k.message_no = m.message_no AND NOT k.done
      )
    LIMIT 1000
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> OpenMessage {
    OpenMessage(app: AppNumber(try row.int64()), message: MessageNumber(try row.int64()))
  }
}

struct EnsurePartitions: Statement {
  static let sql = "SELECT ensure_partitions(7)"

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 {
    try row.int32()
  }
}
