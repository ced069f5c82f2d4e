import KitsCore
import Postgres

/// Records of activity count as told for 30 days.
struct ForgetActivity: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = OldRows.delete(from: "activity", by: "received_at")

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  typealias Row = NoRow
}

/// Counts of activity, one row for each app, name and day.
struct ForgetActivityDays: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = OldRows.delete(from: "activity_day", by: "day")

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  typealias Row = NoRow
}

/// Names that no count has any more make room for others.
struct ForgetActivityNames: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = """
    DELETE FROM activity_name n
    WHERE n.first_at < $1
      AND n.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM activity_name o
        WHERE o.first_at < $1
          AND NOT EXISTS (
            SELECT FROM activity_day d WHERE d.app_no = o.app_no AND d.type = o.type AND d.name = o.name
          )
        LIMIT $2
      ))
    """

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  typealias Row = NoRow
}
