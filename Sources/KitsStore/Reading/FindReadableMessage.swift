package import KitsCore
import Postgres

/// A message whose deliveries are asked for.
package struct ReadableMessage: Sendable, Equatable {
  package let app: AppNumber
  package let id: MessageID
  /// 0 before it started: nothing is found under it.
  package let number: MessageNumber
  /// All recipients are known.
  package let isPlanned: Bool
  /// Its chunks were dropped for their age.
  package let isForgotten: Bool
}

struct FindReadableMessage: Statement {
  let environment: EnvironmentNumber
  let id: MessageID

  /// A scheduled one (6) isn't, whatever its columns say.
  static let isPlanned = "m.plan_done AND m.state <> 6"

  /// A refused one (5) has none because they were taken away again, a scheduled one (6) not yet.
  static let isForgotten = """
    m.planned > 0 AND m.state NOT IN (5, 6) AND NOT EXISTS (
        SELECT FROM message_chunk k WHERE k.app_no = m.app_no AND k.message_no = m.message_no
      )
    """

  static let sql = """
    SELECT m.app_no, m.message_id, coalesce(m.message_no, 0), \(isPlanned), \(isForgotten)
    FROM app a
    JOIN message m ON m.app_no = a.app_no AND m.message_id = $2
    WHERE a.environment_no = $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ReadableMessage {
    ReadableMessage(
      app: AppNumber(try row.int64()), id: MessageID(try row.uuid()), number: MessageNumber(try row.int64()),
      isPlanned: try row.bool(), isForgotten: try row.bool())
  }
}
