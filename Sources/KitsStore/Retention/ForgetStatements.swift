import KitsCore
import Postgres

/// Deletes some contents and target lists of a day's messages. The number of contents is what tells whether there are
/// more: each message has one.
struct ForgetContents: Statement {
  let partition: ChunkPartition
  let limit: Int32

  static let sql = """
    WITH b AS MATERIALIZED (
      SELECT b.app_no, b.message_no
      FROM app a
      CROSS JOIN LATERAL (
        SELECT b.app_no, b.message_no
        FROM message_body b
        WHERE b.app_no = a.app_no AND b.message_no >= $1 AND b.message_no < $2
        ORDER BY b.message_no
        LIMIT $3
      ) b
      LIMIT $3
    ),
    t AS (
      DELETE FROM message_target t
      USING b
      WHERE t.app_no = b.app_no AND t.message_no = b.message_no
    )
    DELETE FROM message_body d
    USING b
    WHERE d.app_no = b.app_no AND d.message_no = b.message_no
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(partition.low)
    parameters.add(partition.high)
    parameters.add(limit)
  }

  typealias Row = NoRow
}

/// Deletes some of what is remembered of a day's retried deliveries.
struct ForgetSummaries: Statement {
  let partition: ChunkPartition
  let limit: Int32

  static let sql = """
    WITH s AS MATERIALIZED (
      SELECT s.app_no, s.message_no, s.chunk_no, s.idx
      FROM app a
      CROSS JOIN LATERAL (
        SELECT s.app_no, s.message_no, s.chunk_no, s.idx
        FROM delivery_summary s
        WHERE s.app_no = a.app_no AND s.message_no >= $1 AND s.message_no < $2
        ORDER BY s.message_no, s.chunk_no, s.idx
        LIMIT $3
      ) s
      LIMIT $3
    )
    DELETE FROM delivery_summary d
    USING s
    WHERE d.app_no = s.app_no AND d.message_no = s.message_no AND d.chunk_no = s.chunk_no AND d.idx = s.idx
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(partition.low)
    parameters.add(partition.high)
    parameters.add(limit)
  }

  typealias Row = NoRow
}

/// Deletes some messages older than the longest limit, with their counts and whom they were for. None whose chunks are
/// still there: those are at least `oldest`, the lowest number that the oldest partition may hold.
struct ForgetMessages: Statement {
  let before: Timestamp
  let oldest: Int64
  let limit: Int32

  static let sql = """
    WITH m AS MATERIALIZED (
      SELECT m.app_no, m.message_no, m.message_id
      FROM app a
      CROSS JOIN LATERAL (
        SELECT m.app_no, m.message_no, m.message_id
        FROM message m
        WHERE m.app_no = a.app_no AND m.settled
          AND m.message_no < least((extract(epoch FROM $1::timestamptz) * 1000)::bigint << 22, $2)
        ORDER BY m.message_no
        LIMIT $3
      ) m
      LIMIT $3
    ),
    r AS (
      DELETE FROM message_rollup r
      USING m
      WHERE r.app_no = m.app_no AND r.message_no = m.message_no
    ),
    t AS (
      DELETE FROM message_audience t
      USING m
      WHERE t.app_no = m.app_no AND t.message_id = m.message_id
    )
    DELETE FROM message d
    USING m
    WHERE d.app_no = m.app_no AND d.message_no = m.message_no
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(timestamp: before.microseconds)
    parameters.add(oldest)
    parameters.add(limit)
  }

  typealias Row = NoRow
}

/// Registration keys count for 24 hours.
struct ForgetRegistrationKeys: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = OldRows.delete(from: "registration", by: "created_at")

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  typealias Row = NoRow
}

/// Idempotency keys count for 30 days.
struct ForgetIdempotencyKeys: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = OldRows.delete(from: "idempotency_key", by: "created_at")

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  typealias Row = NoRow
}

/// Provider tokens count for an hour; a key that is still used has a newer one.
struct ForgetProviderTokens: Statement {
  let before: Timestamp

  static let sql = "DELETE FROM provider_token WHERE issued_at < $1"

  func bind(to parameters: inout Parameters) {
    parameters.add(timestamp: before.microseconds)
  }

  typealias Row = NoRow
}
