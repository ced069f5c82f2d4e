package import KitsCore
import Postgres

/// A message whose deliveries are asked for.
package struct ReadableMessage: Sendable, Equatable {
  package let app: AppNumber
  package let number: MessageNumber
  /// All recipients are known.
  package let isPlanned: Bool
  /// Its chunks were dropped for their age.
  package let isForgotten: Bool
}

struct FindReadableMessage: Statement {
  let environment: EnvironmentNumber
  let id: MessageID

  static let sql = """
    SELECT m.app_no, m.message_no, m.plan_done,
      m.planned > 0 AND NOT EXISTS (
        SELECT FROM message_chunk k WHERE k.app_no = m.app_no AND k.message_no = m.message_no
      )
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
      app: AppNumber(try row.int64()), number: MessageNumber(try row.int64()), isPlanned: try row.bool(),
      isForgotten: try row.bool())
  }
}
