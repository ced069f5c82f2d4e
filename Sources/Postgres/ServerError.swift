internal import CPostgres

/// PostgreSQL's own report about a refused statement. DETAIL, HINT and CONTEXT quote rows and parameters: never
/// kept.
package struct ServerError: Error, Sendable, Equatable {
  package let sqlState: String
  package let constraint: String?
  package let table: String?
  package let column: String?
  /// The primary message, only for classes of errors that speak about schema or server and never about values.
  package let message: String?
  /// Which statement type it was.
  package let statement: String

  package init(
    sqlState: String, constraint: String? = nil, table: String? = nil, column: String? = nil, message: String? = nil,
    statement: String
  ) {
    self.sqlState = sqlState
    self.constraint = constraint
    self.table = table
    self.column = column
    self.message = message
    self.statement = statement
  }

  /// nil when libpq made the error up itself (a lost connection has no SQLSTATE).
  init?(_ result: OpaquePointer, statement: String) {
    func field(_ letter: Unicode.Scalar) -> String? {
      PQresultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
    }
    guard let sqlState = field("C") else { return nil }
    self.init(
      sqlState: sqlState, constraint: field("n"), table: field("t"), column: field("c"),
      message: Self.tellsNoValues.contains(String(sqlState.prefix(2))) ? field("M") : nil, statement: statement)
  }

  private static let tellsNoValues: Set<String> = [
    "08", "0A", "25", "26", "28", "3D", "40", "42", "53", "54", "55", "57", "58", "XX",
  ]
}
