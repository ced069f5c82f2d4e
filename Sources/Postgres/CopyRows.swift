package import FoundationEssentials

/// Rows for `COPY … FROM STDIN (FORMAT binary)`, as the bytes that PostgreSQL reads. Values come in the order of the
/// columns that the statement names; the types have to be those of the columns.
package struct CopyRows: Sendable {
  private(set) var bytes: [UInt8]
  /// Rows that were begun.
  package private(set) var count = 0
  /// A text that PostgreSQL couldn't store; copying throws it before anything is sent.
  private(set) var defect: PostgresError?
  private let columns: Int16

  private static let signature: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF] + Array("\r\n".utf8) + [0]
  private static let null: Int32 = -1
  private static let end: Int16 = -1

  package init(columns: Int16) {
    self.columns = columns
    bytes = Self.signature
    // No flags, and a header that has no extension.
    bytes.append(bigEndian: Int32(0))
    bytes.append(bigEndian: Int32(0))
  }

  package mutating func beginRow() {
    bytes.append(bigEndian: columns)
    count += 1
  }

  package mutating func add(_ value: Bool?) { add(value, 1) { $1.append($0 ? 1 : 0) } }
  package mutating func add(_ value: Int16?) { add(value, 2) { $1.append(bigEndian: $0) } }
  package mutating func add(_ value: Int32?) { add(value, 4) { $1.append(bigEndian: $0) } }
  package mutating func add(_ value: Int64?) { add(value, 8) { $1.append(bigEndian: $0) } }
  package mutating func add(_ value: UUID?) { add(value, 16) { $1.append($0) } }

  package mutating func add(_ value: String?) {
    if let value, value.utf8.contains(0), defect == nil {
      defect = .parameter(index: count, "a text holds U+0000")
    }
    add(value, value?.utf8.count ?? 0) { $1.append(contentsOf: $0.utf8) }
  }

  /// Microseconds since the Unix epoch.
  package mutating func add(timestamp value: Int64?) {
    add(value, 8) { $1.append(bigEndian: Timestamp.fromUnix($0)) }
  }

  /// A jsonb, given as the bytes of its text.
  package mutating func add(json value: [UInt8]?) {
    add(value, (value?.count ?? 0) + 1) {
      $1.append(1)
      $1.append(contentsOf: $0)
    }
  }

  /// The bytes with their end.
  var finished: [UInt8] {
    var all = bytes
    all.append(bigEndian: Self.end)
    return all
  }

  private mutating func add<T>(_ value: T?, _ length: Int, _ write: (T, inout [UInt8]) -> Void) {
    guard let value else { return bytes.append(bigEndian: Self.null) }
    bytes.append(bigEndian: Int32(length))
    write(value, &bytes)
  }
}
