/// PostgreSQL's numbers for the types we speak in binary; fixed since ever (pg_type.dat).
enum OID {
  static let bool: UInt32 = 16
  static let bytea: UInt32 = 17
  static let name: UInt32 = 19
  static let int8: UInt32 = 20
  static let int2: UInt32 = 21
  static let int4: UInt32 = 23
  static let text: UInt32 = 25
  static let oid: UInt32 = 26
  static let json: UInt32 = 114
  static let bpchar: UInt32 = 1042
  static let varchar: UInt32 = 1043
  static let timestamptz: UInt32 = 1184
  static let uuid: UInt32 = 2950
  static let jsonb: UInt32 = 3802
  static let unknown: UInt32 = 705
  static let void: UInt32 = 2278

  static let boolArray: UInt32 = 1000
  static let byteaArray: UInt32 = 1001
  static let int2Array: UInt32 = 1005
  static let int4Array: UInt32 = 1007
  static let textArray: UInt32 = 1009
  static let int8Array: UInt32 = 1016
  static let timestamptzArray: UInt32 = 1185
  static let uuidArray: UInt32 = 2951
  static let jsonbArray: UInt32 = 3807

  /// Types made in a database (enums, citext, domains over text) start here; their binary form is taken for text.
  static let firstOfUsers: UInt32 = 16384
}

/// Microseconds from the Unix epoch to PostgreSQL's (2000-01-01). The two ends of Int64 are -infinity and infinity.
enum Timestamp {
  static let offset: Int64 = 946_684_800_000_000

  static func fromUnix(_ microseconds: Int64) -> Int64 {
    if microseconds == .min || microseconds == .max { return microseconds }
    let (value, overflow) = microseconds.subtractingReportingOverflow(offset)
    return overflow ? .min : value
  }

  static func toUnix(_ microseconds: Int64) -> Int64 {
    if microseconds == .min || microseconds == .max { return microseconds }
    let (value, overflow) = microseconds.addingReportingOverflow(offset)
    return overflow ? .max : value
  }
}
