import KitsCore
import Postgres

struct ReadReasons: Statement {
  static let sql = """
    SELECT o.code, o.reason
    FROM outcome_code o
    WHERE o.class = 2
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> (code: OutcomeCode, reason: String) {
    (code: OutcomeCode(UInt8(truncatingIfNeeded: try row.int16())), reason: try row.string())
  }
}

/// Gives a reason that was never seen the next free code. Two nodes at once: one wins, the other reads.
struct AddReason: Statement {
  let reason: String

  static let sql = """
    INSERT INTO outcome_code (code, class, reason)
    SELECT max(o.code) + 1, 2, $1
    FROM outcome_code o
    WHERE o.code < 255
    HAVING max(o.code) < 254
    ON CONFLICT DO NOTHING
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(reason)
  }

  typealias Row = NoRow
}
