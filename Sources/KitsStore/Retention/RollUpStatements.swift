package import KitsCore
import Postgres

/// A place in the order of app and message.
package struct MessagePlace: Sendable, Equatable {
  package let app: AppNumber
  package let message: MessageNumber

  package static let start = MessagePlace(app: AppNumber(0), message: MessageNumber(0))
}

/// Counts the outcomes of some messages of a day into their roll-ups and answers the last of them; no row at the end.
///
/// A step ends after `messages` messages, or with the one that brings it to `recipients`, since each recipient's byte
/// is looked at unless its whole chunk was accepted.
struct RollUpMessages: Statement {
  let partition: DayPartition
  let after: MessagePlace
  let messages: Int32
  let recipients: Int64

  static let sql = """
    WITH m AS MATERIALIZED (
      SELECT m.app_no, m.message_no, m.planned
      FROM app a
      CROSS JOIN LATERAL (
        SELECT m.app_no, m.message_no, m.planned
        FROM message m
        WHERE m.app_no = a.app_no AND m.message_no >= $1 AND m.message_no < $2
          AND (m.app_no > $3 OR m.message_no > $4)
        ORDER BY m.message_no
        LIMIT $5
      ) m
      WHERE a.app_no >= $3
      ORDER BY a.app_no, m.message_no
      LIMIT $5
    ),
    step AS MATERIALIZED (
      SELECT s.app_no, s.message_no
      FROM (
        SELECT m.app_no, m.message_no, sum(m.planned) OVER (ORDER BY m.app_no, m.message_no) - m.planned AS before
        FROM m
      ) s
      WHERE s.before < $6
    ),
    c AS MATERIALIZED (
      SELECT k.app_no, k.message_no, k.n, k.outcomes, k.outcomes = decode(repeat('01', k.n), 'hex') AS whole
      FROM step s
      JOIN message_chunk k ON k.app_no = s.app_no AND k.message_no = s.message_no
      WHERE k.message_no >= $1 AND k.message_no < $2
    ),
    counts AS (
      SELECT c.app_no, c.message_no, 1 AS code, c.n::bigint AS count
      FROM c
      WHERE c.whole
      UNION ALL
      SELECT c.app_no, c.message_no, get_byte(c.outcomes, i), 1
      FROM c
      CROSS JOIN LATERAL generate_series(0, c.n - 1) i
      WHERE NOT c.whole
    ),
    summed AS (
      SELECT x.app_no, x.message_no, x.code::smallint AS code, sum(x.count)::bigint AS count
      FROM counts x
      GROUP BY x.app_no, x.message_no, x.code
    ),
    ins AS (
      INSERT INTO message_rollup (app_no, message_no, codes, counts)
      SELECT s.app_no, s.message_no, array_agg(s.code ORDER BY s.code), array_agg(s.count ORDER BY s.code)
      FROM summed s
      GROUP BY s.app_no, s.message_no
      ON CONFLICT (app_no, message_no) DO NOTHING
    )
    SELECT s.app_no, s.message_no
    FROM step s
    ORDER BY s.app_no DESC, s.message_no DESC
    LIMIT 1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(partition.low)
    parameters.add(partition.high)
    parameters.add(after.app.value)
    parameters.add(after.message.value)
    parameters.add(messages)
    parameters.add(recipients)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> MessagePlace {
    MessagePlace(app: AppNumber(try row.int64()), message: MessageNumber(try row.int64()))
  }
}

/// How many messages of a day have recipients and no roll-up, or one that doesn't add up: 0 before anything is dropped.
struct CountMissingRollUps: Statement {
  let partition: DayPartition

  static let sql = """
    SELECT count(*)
    FROM message m
    LEFT JOIN message_rollup r USING (app_no, message_no)
    WHERE m.message_no >= $1 AND m.message_no < $2 AND m.planned > 0
      AND m.planned IS DISTINCT FROM (SELECT sum(u.count) FROM unnest(r.counts) AS u (count))
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(partition.low)
    parameters.add(partition.high)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 {
    try row.int64()
  }
}
