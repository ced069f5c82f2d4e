package import FoundationEssentials

/// The values for $1, $2 … in PostgreSQL's binary form, in one buffer. Each carries its type, so a mismatch is an
/// error of the first prepare and never a misread value.
package struct Parameters: Sendable {
  struct Slot: Sendable {
    let offset: Int
    /// nil is SQL's NULL.
    let length: Int?
    let type: UInt32
  }

  /// Starts with a byte of padding, so that an empty value still has an address (libpq takes a null pointer for
  /// NULL).
  private(set) var bytes: [UInt8] = [0]
  private(set) var slots: [Slot] = []
  /// The first value that PostgreSQL couldn't store; running the statement throws it before anything is sent.
  private(set) var defect: PostgresError?

  package init() {}

  package mutating func add(_ value: Bool?) { slot(value, OID.bool) { $1.append($0 ? 1 : 0) } }
  package mutating func add(_ value: Int16?) { slot(value, OID.int2) { $1.append(bigEndian: $0) } }
  package mutating func add(_ value: Int32?) { slot(value, OID.int4) { $1.append(bigEndian: $0) } }
  package mutating func add(_ value: Int64?) { slot(value, OID.int8) { $1.append(bigEndian: $0) } }
  package mutating func add(_ value: [UInt8]?) { slot(value, OID.bytea) { $1.append(contentsOf: $0) } }
  package mutating func add(_ value: UUID?) { slot(value, OID.uuid) { $1.append($0) } }

  package mutating func add(_ value: String?) {
    if let value, value.utf8.contains(0) { refuseNUL() }
    slot(value, OID.text) { $1.append(contentsOf: $0.utf8) }
  }

  /// Microseconds since the Unix epoch; Int64.min and .max are -infinity and infinity.
  package mutating func add(timestamp value: Int64?) {
    slot(value, OID.timestamptz) { $1.append(bigEndian: Timestamp.fromUnix($0)) }
  }

  /// A jsonb, given as the bytes of its text.
  package mutating func add(json value: [UInt8]?) {
    slot(value, OID.jsonb) {
      $1.append(1)
      $1.append(contentsOf: $0)
    }
  }

  package mutating func add(jsonText value: String?) { add(json: value.map { Array($0.utf8) }) }

  mutating func refuseNUL() {
    if defect == nil { defect = .parameter(index: slots.count + 1, "a text holds U+0000") }
  }

  mutating func slot<T>(_ value: T?, _ type: UInt32, _ write: (T, inout [UInt8]) -> Void) {
    let offset = bytes.count
    if let value { write(value, &bytes) }
    slots.append(Slot(offset: offset, length: value == nil ? nil : bytes.count - offset, type: type))
  }
}

extension [UInt8] {
  mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  mutating func append(_ value: UUID) {
    Swift.withUnsafeBytes(of: value.uuid) { append(contentsOf: $0) }
  }
}
