package import FoundationEssentials

extension RowReader {
  package mutating func bool() throws(PostgresError) -> Bool { try require(boolOrNil(), "bool") }
  package mutating func int16() throws(PostgresError) -> Int16 { try require(int16OrNil(), "int2") }
  package mutating func int32() throws(PostgresError) -> Int32 { try require(int32OrNil(), "int4") }
  package mutating func int64() throws(PostgresError) -> Int64 { try require(int64OrNil(), "int8") }
  package mutating func string() throws(PostgresError) -> String { try require(stringOrNil(), "text") }
  package mutating func bytes() throws(PostgresError) -> [UInt8] { try require(bytesOrNil(), "bytea") }
  package mutating func uuid() throws(PostgresError) -> UUID { try require(uuidOrNil(), "uuid") }
  package mutating func json() throws(PostgresError) -> [UInt8] { try require(jsonOrNil(), "json") }
  /// Microseconds since the Unix epoch; Int64.min and .max are -infinity and infinity.
  package mutating func timestamp() throws(PostgresError) -> Int64 { try require(timestampOrNil(), "timestamptz") }

  package mutating func boolOrNil() throws(PostgresError) -> Bool? {
    guard let bytes = try next("bool", { $0 == OID.bool }) else { return nil }
    guard bytes.count == 1 else { throw malformed("bool") }
    return bytes[0] != 0
  }

  package mutating func int16OrNil() throws(PostgresError) -> Int16? { try integer("int2") { $0 == OID.int2 } }

  /// Narrower columns widen.
  package mutating func int32OrNil() throws(PostgresError) -> Int32? {
    try integer("int4") { $0 == OID.int4 || $0 == OID.int2 }
  }

  /// Narrower columns widen.
  package mutating func int64OrNil() throws(PostgresError) -> Int64? {
    try integer("int8") { $0 == OID.int8 || $0 == OID.int4 || $0 == OID.int2 || $0 == OID.oid }
  }

  package mutating func stringOrNil() throws(PostgresError) -> String? {
    try next("text", Self.isText).map { String(decoding: $0, as: UTF8.self) }
  }

  package mutating func bytesOrNil() throws(PostgresError) -> [UInt8]? {
    try next("bytea") { $0 == OID.bytea }.map { Array($0) }
  }

  package mutating func uuidOrNil() throws(PostgresError) -> UUID? {
    guard let bytes = try next("uuid", { $0 == OID.uuid }) else { return nil }
    guard bytes.count == 16 else { throw malformed("uuid") }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }

  package mutating func timestampOrNil() throws(PostgresError) -> Int64? {
    guard let bytes = try next("timestamptz", { $0 == OID.timestamptz }) else { return nil }
    guard bytes.count == 8 else { throw malformed("timestamptz") }
    return Timestamp.toUnix(bytes.bigEndian(at: 0))
  }

  /// The text of a json or jsonb (whose binary form starts with a version byte).
  package mutating func jsonOrNil() throws(PostgresError) -> [UInt8]? {
    var isBinary = false
    let column = try next("json") {
      isBinary = $0 == OID.jsonb
      return isBinary || $0 == OID.json
    }
    guard let column else { return nil }
    guard isBinary else { return Array(column) }
    guard column.first == 1 else { throw malformed("jsonb") }
    return Array(column.dropFirst())
  }

  static func isText(_ type: UInt32) -> Bool {
    switch type {
    case OID.text, OID.varchar, OID.bpchar, OID.name, OID.json, OID.unknown: true
    default: type >= OID.firstOfUsers
    }
  }

  func require<T>(_ value: T?, _ expected: String) throws(PostgresError) -> T {
    guard let value else { throw malformed("\(expected): NULL found") }
    return value
  }

  private mutating func integer<T: FixedWidthInteger>(
    _ name: String, _ accepts: (UInt32) -> Bool
  ) throws(PostgresError) -> T? {
    var type: UInt32 = 0
    let bytes = try next(name) {
      type = $0
      return accepts($0)
    }
    guard let bytes else { return nil }
    switch bytes.count {
    case 2: return T(bytes.bigEndian(at: 0, as: Int16.self))
    case 4:
      return type == OID.oid ? T(bytes.bigEndian(at: 0, as: UInt32.self)) : T(bytes.bigEndian(at: 0, as: Int32.self))
    case 8: return T(bytes.bigEndian(at: 0, as: Int64.self))
    default: throw malformed(name)
    }
  }
}
