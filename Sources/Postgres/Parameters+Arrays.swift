package import FoundationEssentials

/// Arrays: many rows travel through one statement with `unnest($1, $2, …)`.
extension Parameters {
  package mutating func add(_ values: [Bool]) { array(values, OID.boolArray, OID.bool, Self.put) }
  package mutating func add(_ values: [Int16]) { array(values, OID.int2Array, OID.int2, Self.put) }
  package mutating func add(_ values: [Int32]) { array(values, OID.int4Array, OID.int4, Self.put) }
  package mutating func add(_ values: [Int64]) { array(values, OID.int8Array, OID.int8, Self.put) }
  package mutating func add(_ values: [UUID]) { array(values, OID.uuidArray, OID.uuid, Self.put) }
  package mutating func add(_ values: [[UInt8]]) { array(values, OID.byteaArray, OID.bytea, Self.put) }

  package mutating func add(_ values: [String]) {
    if values.contains(where: { $0.utf8.contains(0) }) { refuseNUL() }
    array(values, OID.textArray, OID.text, Self.put)
  }

  package mutating func add(_ values: [Bool?]) { array(values, OID.boolArray, OID.bool, Self.put) }
  package mutating func add(_ values: [Int16?]) { array(values, OID.int2Array, OID.int2, Self.put) }
  package mutating func add(_ values: [Int32?]) { array(values, OID.int4Array, OID.int4, Self.put) }
  package mutating func add(_ values: [Int64?]) { array(values, OID.int8Array, OID.int8, Self.put) }
  package mutating func add(_ values: [UUID?]) { array(values, OID.uuidArray, OID.uuid, Self.put) }
  package mutating func add(_ values: [[UInt8]?]) { array(values, OID.byteaArray, OID.bytea, Self.put) }

  package mutating func add(_ values: [String?]) {
    if values.contains(where: { $0?.utf8.contains(0) == true }) { refuseNUL() }
    array(values, OID.textArray, OID.text, Self.put)
  }

  /// Microseconds since the Unix epoch, as a timestamptz[].
  package mutating func add(timestamps values: [Int64?]) {
    array(values, OID.timestamptzArray, OID.timestamptz) { Self.put(Timestamp.fromUnix($0), &$1) }
  }

  /// The bytes of JSON texts, as a jsonb[].
  package mutating func add(jsons values: [[UInt8]?]) {
    array(values, OID.jsonbArray, OID.jsonb) { value, bytes in
      bytes.append(bigEndian: Int32(value.count + 1))
      bytes.append(1)
      bytes.append(contentsOf: value)
    }
  }

  private mutating func array<T>(
    _ values: [T], _ type: UInt32, _ elementType: UInt32, _ put: (T, inout [UInt8]) -> Void
  ) {
    slot(values, type) { values, bytes in
      Self.putHeader(values.count, false, elementType, &bytes)
      for value in values { put(value, &bytes) }
    }
  }

  private mutating func array<T>(
    _ values: [T?], _ type: UInt32, _ elementType: UInt32, _ put: (T, inout [UInt8]) -> Void
  ) {
    slot(values, type) { values, bytes in
      Self.putHeader(values.count, values.contains { $0 == nil }, elementType, &bytes)
      for value in values {
        if let value { put(value, &bytes) } else { bytes.append(bigEndian: Int32(-1)) }
      }
    }
  }

  /// Dimensions, has-null flag, element type, and for each dimension its length and lower bound. Empty has no
  /// dimension.
  private static func putHeader(_ count: Int, _ hasNull: Bool, _ elementType: UInt32, _ bytes: inout [UInt8]) {
    bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
    bytes.append(bigEndian: Int32(hasNull ? 1 : 0))
    bytes.append(bigEndian: elementType)
    if count > 0 {
      bytes.append(bigEndian: Int32(count))
      bytes.append(bigEndian: Int32(1))
    }
  }

  private static func put<T: FixedWidthInteger>(_ value: T, _ bytes: inout [UInt8]) {
    bytes.append(bigEndian: Int32(MemoryLayout<T>.size))
    bytes.append(bigEndian: value)
  }

  private static func put(_ value: Bool, _ bytes: inout [UInt8]) { put(value ? 1 as Int8 : 0, &bytes) }

  private static func put(_ value: UUID, _ bytes: inout [UInt8]) {
    bytes.append(bigEndian: Int32(16))
    bytes.append(value)
  }

  private static func put(_ value: String, _ bytes: inout [UInt8]) {
    bytes.append(bigEndian: Int32(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  private static func put(_ value: [UInt8], _ bytes: inout [UInt8]) {
    bytes.append(bigEndian: Int32(value.count))
    bytes.append(contentsOf: value)
  }
}
