import KitsCore
import Postgres

/// The frame of statements that delete some rows older than a time, a portion at a time.
enum OldRows {
  /// Of a table whose column `time` says how old a row is. Expects the parameters that `bind` adds.
  static func delete(from table: String, by time: String) -> String {
    """
    DELETE FROM \(table)
    WHERE \(time) < $1
      AND ctid = ANY (ARRAY(SELECT o.ctid FROM \(table) o WHERE o.\(time) < $1 LIMIT $2))
    """
  }

  static func bind(before: Timestamp, limit: Int32, to parameters: inout Parameters) {
    parameters.add(timestamp: before.microseconds)
    parameters.add(limit)
  }
}
