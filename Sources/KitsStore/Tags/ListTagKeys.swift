package import KitsCore
import Postgres

/// A key of tags that installations of an app have set.
package struct TagKeyRecord: Sendable, Equatable {
  package let key: String
  package let firstSeenAt: Timestamp
  /// The last day (UTC) on which one was set, like 2026-11-30.
  package let lastSeenOn: String
}

/// In the order of their bytes. Keys are ASCII below U+007F, which ends the range of a prefix.
struct ListTagKeys: Statement {
  let app: AppNumber
  let prefix: String
  let after: String?
  let limit: Int32

  static let sql = """
    SELECT k.key, k.first_seen_at, to_char(k.last_seen_on, 'YYYY-MM-DD')
    FROM tag_key k
    WHERE k.app_no = $1 AND k.key >= $2 AND k.key < $2 || chr(127) AND k.key > coalesce($3, '')
    ORDER BY k.key
    LIMIT $4
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(prefix)
    parameters.add(after)
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> TagKeyRecord {
    TagKeyRecord(
      key: try row.string(), firstSeenAt: Timestamp(microseconds: try row.timestamp()), lastSeenOn: try row.string())
  }
}

/// Forgets keys that nobody has set for long, some at a time.
struct ForgetTagKeys: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = OldRows.delete(from: "tag_key", by: "last_seen_on")

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  typealias Row = NoRow
}
