import KitsCore
import Postgres

struct ReadEditableMessage: Statement {
  let environment: EnvironmentNumber
  let id: MessageID

  static let sql = """
    SELECT m.state, m.revision, m.created_by, a.app_no, a.app_id, v.auth_mode = 2 AND NOT v.shadow, s.body::text
    FROM app a
    JOIN environment v USING (environment_no)
    JOIN message m ON m.app_no = a.app_no AND m.message_id = $2
    LEFT JOIN message_schedule s ON s.app_no = m.app_no AND s.message_id = m.message_id
    WHERE a.environment_no = $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> EditableMessage {
    EditableMessage(
      state: try row.known(MessageState.self), revision: try row.int64(), createdBy: ServerKeyID(try row.uuid()),
      app: AppNumber(try row.int64()), appID: AppID(try row.uuid()), enforcesProof: try row.bool(),
      body: try row.stringOrNil().map { Array($0.utf8) })
  }
}

/// Whether this database has such a zone, however its letters are written. The zones are listed from files, so this is
/// for a name that a caller chose, not for what devices say.
struct FindZone: Statement {
  let name: String

  static let sql = "SELECT EXISTS (SELECT FROM zone_times(now()::timestamp) z WHERE z.zone = lower($1))"

  func bind(to parameters: inout Parameters) {
    parameters.add(name)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
}
