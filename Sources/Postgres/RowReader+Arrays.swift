package import FoundationEssentials

/// One-dimensional arrays. A NULL element is an error, except in the …OrNils variants.
extension RowReader {
  package mutating func boolArray() throws(PostgresError) -> [Bool] { try array(OID.boolArray, "bool[]", Self.bool) }
  package mutating func int16Array() throws(PostgresError) -> [Int16] { try array(OID.int2Array, "int2[]", Self.int) }
  package mutating func int32Array() throws(PostgresError) -> [Int32] { try array(OID.int4Array, "int4[]", Self.int) }
  package mutating func int64Array() throws(PostgresError) -> [Int64] { try array(OID.int8Array, "int8[]", Self.int) }
  package mutating func stringArray() throws(PostgresError) -> [String] {
    try array(OID.textArray, "text[]", Self.text)
  }
  package mutating func uuidArray() throws(PostgresError) -> [UUID] { try array(OID.uuidArray, "uuid[]", Self.uuid) }
  package mutating func bytesArray() throws(PostgresError) -> [[UInt8]] {
    try array(OID.byteaArray, "bytea[]", Self.bytes)
  }

  package mutating func int16ArrayOrNil() throws(PostgresError) -> [Int16]? {
    try whole(OID.int2Array, "int2[]", Self.int)
  }
  package mutating func int64ArrayOrNil() throws(PostgresError) -> [Int64]? {
    try whole(OID.int8Array, "int8[]", Self.int)
  }
  package mutating func stringArrayOrNil() throws(PostgresError) -> [String]? {
    try whole(OID.textArray, "text[]", Self.text)
  }
  package mutating func bytesArrayOrNil() throws(PostgresError) -> [[UInt8]]? {
    try whole(OID.byteaArray, "bytea[]", Self.bytes)
  }

  package mutating func int64ArrayOfOrNils() throws(PostgresError) -> [Int64?] {
    try require(optionals(OID.int8Array, "int8[]", Self.int), "int8[]")
  }
  package mutating func stringArrayOfOrNils() throws(PostgresError) -> [String?] {
    try require(optionals(OID.textArray, "text[]", Self.text), "text[]")
  }
  package mutating func bytesArrayOfOrNils() throws(PostgresError) -> [[UInt8]?] {
    try require(optionals(OID.byteaArray, "bytea[]", Self.bytes), "bytea[]")
  }

  private typealias Element<T> = (UnsafeRawBufferPointer) -> T?

  private mutating func array<T>(_ type: UInt32, _ name: String, _ read: Element<T>) throws(PostgresError) -> [T] {
    try require(whole(type, name, read), name)
  }

  private mutating func whole<T>(_ type: UInt32, _ name: String, _ read: Element<T>) throws(PostgresError) -> [T]? {
    guard let array = try next(name, { $0 == type }) else { return nil }
    var values: [T] = []
    try walk(array, name) { (value) throws(PostgresError) in
      guard let element = value.flatMap(read) else { throw malformed(name) }
      values.append(element)
    }
    return values
  }

  private mutating func optionals<T>(
    _ type: UInt32, _ name: String, _ read: Element<T>
  ) throws(PostgresError) -> [T?]? {
    guard let array = try next(name, { $0 == type }) else { return nil }
    var values: [T?] = []
    try walk(array, name) { (value) throws(PostgresError) in
      guard let value else { return values.append(nil) }
      guard let element = read(value) else { throw malformed(name) }
      values.append(element)
    }
    return values
  }

  private func walk(
    _ array: UnsafeRawBufferPointer, _ name: String,
    _ body: (UnsafeRawBufferPointer?) throws(PostgresError) -> Void
  ) throws(PostgresError) {
    guard array.count >= 12 else { throw malformed(name) }
    let dimensions = array.bigEndian(at: 0, as: Int32.self)
    if dimensions == 0 { return }
    guard dimensions == 1, array.count >= 20 else { throw malformed(name) }
    var offset = 20
    for _ in 0..<array.bigEndian(at: 12, as: Int32.self) {
      guard offset + 4 <= array.count else { throw malformed(name) }
      let length = Int(array.bigEndian(at: offset, as: Int32.self))
      offset += 4
      if length < 0 {
        try body(nil)
        continue
      }
      guard offset + length <= array.count else { throw malformed(name) }
      try body(UnsafeRawBufferPointer(rebasing: array[offset..<offset + length]))
      offset += length
    }
  }

  private static func bool(_ bytes: UnsafeRawBufferPointer) -> Bool? { bytes.first.map { $0 != 0 } }
  private static func text(_ bytes: UnsafeRawBufferPointer) -> String? { String(decoding: bytes, as: UTF8.self) }
  private static func bytes(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? { Array(bytes) }
  private static func uuid(_ bytes: UnsafeRawBufferPointer) -> UUID? {
    bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
  }
  private static func int<T: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer) -> T? {
    bytes.count == MemoryLayout<T>.size ? bytes.bigEndian(at: 0) : nil
  }
}
