/// A statement with its values, ready to be sent.
struct Command: Sendable {
  /// Names the statement in errors and events.
  let label: String
  let sql: String
  /// Under which type it is prepared; nil is sent unprepared.
  let key: ObjectIdentifier?
  let parameters: Parameters

  init<S: Statement>(_ statement: S) throws(PostgresError) {
    label = String(describing: S.self)
    sql = S.sql
    key = ObjectIdentifier(S.self)
    var parameters = Parameters()
    statement.bind(to: &parameters)
    if let defect = parameters.defect { throw defect }
    self.parameters = parameters
  }

  init<Row>(_ statement: DynamicStatement<Row>) throws(PostgresError) {
    try self.init(label: statement.name, sql: statement.sql, parameters: statement.parameters)
  }

  init(label: String, sql: String, parameters: Parameters = Parameters()) throws(PostgresError) {
    self.label = label
    self.sql = sql
    key = nil
    if let defect = parameters.defect { throw defect }
    self.parameters = parameters
  }

  /// Readable in pg_prepared_statements; the hash keeps equal short names apart. PostgreSQL cuts names at 63 bytes.
  var preparedName: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in sql.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "\(label.prefix(32).filter(\.isASCII))_\(String(hash, radix: 16))"
  }
}
