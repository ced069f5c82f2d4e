internal import CPostgres

/// Reads one row from left to right. Valid only inside `decode`: the result that it points into is freed
/// afterwards.
package struct RowReader {
  private let result: OpaquePointer
  private let row: Int32
  private var column: Int32 = 0

  init(_ result: OpaquePointer, row: Int32) {
    self.result = result
    self.row = row
  }

  /// The next column, nil for NULL, after its type was checked.
  mutating func next(_ expected: String, _ accepts: (UInt32) -> Bool) throws(PostgresError) -> UnsafeRawBufferPointer? {
    guard column < PQnfields(result) else { throw .decode("column \(column + 1) is missing (\(expected) expected)") }
    defer { column += 1 }
    let type = PQftype(result, column)
    guard accepts(type) else { throw .decode("column \(column + 1): \(expected) expected, type \(type) found") }
    if PQgetisnull(result, row, column) == 1 { return nil }
    return UnsafeRawBufferPointer(
      start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
  }

  /// For a value that doesn't have the form its type promises.
  func malformed(_ expected: String) -> PostgresError { .decode("column \(column): not a well-formed \(expected)") }
}

extension UnsafeRawBufferPointer {
  /// The caller has checked the bounds.
  func bigEndian<T: FixedWidthInteger>(at offset: Int, as type: T.Type = T.self) -> T {
    T(bigEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
  }
}
