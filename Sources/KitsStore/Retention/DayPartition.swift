package import KitsCore
import Postgres

/// One day of chunks or of events: a partition of their table, or what is left of one whose removal was interrupted.
package struct DayPartition: Sendable, Equatable {
  package let table: Table
  /// The day as YYYYMMDD, UTC.
  package let day: Int32
  /// Every message number of the day is at least `low` and below `high`.
  package let low: Int64
  package let high: Int64
  package let endsAt: Timestamp
  package let standing: Standing

  /// The tables that have days. Those of a message number lie in the same day of each.
  package enum Table: String, Sendable, CaseIterable {
    case chunks = "message_chunk"
    case events = "notification_event"
  }

  package enum Standing: Sendable, Equatable {
    case attached
    /// A detaching was cut short and has to be ended.
    case detaching
    /// A plain table that nobody reads any more.
    case detached
  }

  /// Made of digits alone, so that it can stand in a DDL statement, which takes no parameters.
  package var name: String { "\(table.rawValue)_\(day)" }
}

/// All days there are of a table, oldest first.
struct ListPartitions: Statement {
  let table: DayPartition.Table

  static let sql = """
    SELECT right(c.relname::text, 8)::integer,
      (extract(epoch FROM d.day::timestamp AT TIME ZONE 'UTC') * 1000)::bigint << 22,
      (extract(epoch FROM (d.day + 1)::timestamp AT TIME ZONE 'UTC') * 1000)::bigint << 22,
      (d.day + 1)::timestamp AT TIME ZONE 'UTC',
      CASE WHEN i.inhrelid IS NULL THEN 3 WHEN i.inhdetachpending THEN 2 ELSE 1 END,
      $1
    FROM pg_class c
    CROSS JOIN LATERAL (SELECT to_date(right(c.relname::text, 8), 'YYYYMMDD') AS day) d
    LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = $1::text::regclass
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
      AND c.relname ~ ('^' || $1 || '_[0-9]{8}$')
    ORDER BY c.relname
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(table.rawValue)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> DayPartition {
    let day = try row.int32()
    let (low, high) = (try row.int64(), try row.int64())
    let endsAt = Timestamp(microseconds: try row.timestamp())
    let standing: DayPartition.Standing =
      switch try row.int32() {
      case 1: .attached
      case 2: .detaching
      default: .detached
      }
    let name = try row.string()
    guard let table = DayPartition.Table(rawValue: name) else { throw .decode("\(name) has no days") }
    return DayPartition(table: table, day: day, low: low, high: high, endsAt: endsAt, standing: standing)
  }
}

/// What of a day may still change: messages that aren't settled, open chunks, retries. At 0 nothing can change any
/// more, for no message becomes unsettled again.
struct CountOpenOfDay: Statement {
  let partition: DayPartition

  static let sql = """
    SELECT (SELECT count(*) FROM message WHERE NOT settled AND message_no >= $1 AND message_no < $2)
      + (SELECT count(*) FROM message_chunk WHERE NOT done AND message_no >= $1 AND message_no < $2)
      + (SELECT count(*) FROM delivery_retry WHERE message_no >= $1 AND message_no < $2)
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(partition.low)
    parameters.add(partition.high)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 {
    try row.int64()
  }
}
