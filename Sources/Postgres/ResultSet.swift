internal import CPostgres

/// Owns a PGresult. Never leaves the connection's thread.
final class ResultSet {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { PQclear(pointer) }

  var status: ExecStatusType { PQresultStatus(pointer) }

  /// Rows that an INSERT, UPDATE, DELETE or MERGE touched, or that a SELECT answered.
  var affectedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

  var commandTag: String { String(cString: PQcmdStatus(pointer)) }

  func rows<Row>(
    _ decode: (inout RowReader) throws(PostgresError) -> Row
  ) throws(PostgresError) -> [Row] {
    let count = PQntuples(pointer)
    var rows: [Row] = []
    rows.reserveCapacity(Int(count))
    for index in 0..<count {
      var reader = RowReader(pointer, row: index)
      rows.append(try decode(&reader))
    }
    return rows
  }
}
