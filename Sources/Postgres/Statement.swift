/// One kind of question to the database: static SQL, its parameters, and how a row of the answer reads.
package protocol Statement: Sendable {
  associatedtype Row: Sendable

  /// With $1, $2 …; prepared once per connection.
  static var sql: String { get }
  /// Whether a second execution changes nothing more. Such a statement may be sent again when a pooled connection
  /// turns out to be dead. By default true for a single SELECT.
  static var isIdempotent: Bool { get }

  func bind(to parameters: inout Parameters)
  /// Reads the columns from left to right.
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row
}

extension Statement {
  package static var isIdempotent: Bool {
    let start = sql.drop(while: \.isWhitespace).prefix(6)
    return start.uppercased() == "SELECT"
  }
}

/// The row of a statement that answers none.
package struct NoRow: Sendable, Equatable {}

extension Statement where Row == NoRow {
  package static func decode(_ row: inout RowReader) throws(PostgresError) -> NoRow { NoRow() }
}

/// A statement whose text is built at run time (the segment compiler's): closed fragments and bound parameters
/// only. Never prepared under a name.
package struct DynamicStatement<Row: Sendable>: Sendable {
  package let name: String
  package let sql: String
  package let parameters: Parameters
  package let isIdempotent: Bool
  package let decode: @Sendable (inout RowReader) throws(PostgresError) -> Row

  package init(
    name: String, sql: String, parameters: Parameters, isIdempotent: Bool = true,
    decode: @escaping @Sendable (inout RowReader) throws(PostgresError) -> Row
  ) {
    self.name = name
    self.sql = sql
    self.parameters = parameters
    self.isIdempotent = isIdempotent
    self.decode = decode
  }
}
