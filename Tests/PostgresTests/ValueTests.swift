import Foundation
import Postgres
import Testing

@Suite("Values travel in binary and come back the same")
struct ValueTests {
  struct Echo: Statement {
    static let sql = "SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9"
    var bool: Bool?
    var small: Int16?
    var int: Int32?
    var big: Int64?
    var text: String?
    var bytes: [UInt8]?
    var uuid: UUID?
    var time: Int64?
    var json: [UInt8]?

    struct Row: Sendable, Equatable {
      var bool: Bool?
      var small: Int16?
      var int: Int32?
      var big: Int64?
      var text: String?
      var bytes: [UInt8]?
      var uuid: UUID?
      var time: Int64?
      var json: [UInt8]?
    }

    func bind(to parameters: inout Parameters) {
      parameters.add(bool)
      parameters.add(small)
      parameters.add(int)
      parameters.add(big)
      parameters.add(text)
      parameters.add(bytes)
      parameters.add(uuid)
      parameters.add(timestamp: time)
      parameters.add(json: json)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
      Row(
        bool: try row.boolOrNil(), small: try row.int16OrNil(), int: try row.int32OrNil(), big: try row.int64OrNil(),
        text: try row.stringOrNil(), bytes: try row.bytesOrNil(), uuid: try row.uuidOrNil(),
        time: try row.timestampOrNil(), json: try row.jsonOrNil())
    }
  }

  @Test("every type, at its edges", arguments: [Int64.min, -1, 0, 1, 1_700_000_000_123_456, Int64.max])
  func scalars(_ number: Int64) async throws {
    let uuid = UUID()
    let row = try await withPool { (pool) async throws in
      try await pool.first(
        Echo(
          bool: number > 0, small: Int16(truncatingIfNeeded: number), int: Int32(truncatingIfNeeded: number),
          big: number, text: "grüße 🐘", bytes: [0, 255, 0], uuid: uuid,
          time: number == 1 ? 1 : max(min(number, 9_000_000_000_000_000), -9_000_000_000_000_000),
          json: Array(#"{"a": [1, null, "é"]}"#.utf8)))
    }
    #expect(
      row
        == Echo.Row(
          bool: number > 0, small: Int16(truncatingIfNeeded: number), int: Int32(truncatingIfNeeded: number),
          big: number, text: "grüße 🐘", bytes: [0, 255, 0], uuid: uuid,
          time: max(min(number, 9_000_000_000_000_000), -9_000_000_000_000_000),
          json: Array(#"{"a": [1, null, "é"]}"#.utf8)))
  }

  @Test("NULL everywhere, and empty is not NULL")
  func nulls() async throws {
    try await withPool { (pool) async throws in
      #expect(try await pool.first(Echo()) == Echo.Row())
      let empty = try await pool.first(Echo(text: "", bytes: []))
      #expect(empty == Echo.Row(text: "", bytes: []))
    }
  }

  @Test("the server sees the same instant, and both infinities")
  func timestamps() async throws {
    struct Describe: Statement {
      static let sql = "SELECT $1::text, isfinite($1)"
      let time: Int64
      func bind(to parameters: inout Parameters) { parameters.add(timestamp: time) }
      static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.string() }
    }
    try await withPool { (pool) async throws in
      #expect(try await pool.first(Describe(time: 0)) == "1970-01-01 00:00:00+00")
      #expect(try await pool.first(Describe(time: 1_700_000_000_123_456)) == "2023-11-14 22:13:20.123456+00")
      #expect(try await pool.first(Describe(time: .max)) == "infinity")
      #expect(try await pool.first(Describe(time: .min)) == "-infinity")
    }
  }

  @Test("a bytea of 20 MB, there and back")
  func bigBytes() async throws {
    struct EchoBytes: Statement {
      static let sql = "SELECT $1"
      let bytes: [UInt8]
      func bind(to parameters: inout Parameters) { parameters.add(bytes) }
      static func decode(_ row: inout RowReader) throws(PostgresError) -> [UInt8] { try row.bytes() }
    }
    let bytes = [UInt8](repeating: 0xa5, count: (20 << 20) - 3) + [0, 1, 2]
    let back = try await withPool { try await $0.first(EchoBytes(bytes: bytes)) }
    #expect(back == bytes)
  }

  @Test("U+0000 in a text is refused before anything is sent, alone and in an array")
  func nul() async throws {
    struct EchoTexts: Statement {
      static let sql = "SELECT $1, $2"
      let text: String
      let texts: [String?]
      func bind(to parameters: inout Parameters) {
        parameters.add(text)
        parameters.add(texts)
      }
      static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.string() }
    }
    try await withPool { (pool) async throws in
      await #expect(throws: PostgresError.parameter(index: 1, "a text holds U+0000")) {
        try await pool.run(EchoTexts(text: "a\0b", texts: []))
      }
      await #expect(throws: PostgresError.parameter(index: 2, "a text holds U+0000")) {
        try await pool.run(EchoTexts(text: "", texts: [nil, "a", "\0"]))
      }
      #expect(try await pool.first(EchoTexts(text: "ok", texts: [nil, "a"])) == "ok")
    }
  }

  @Test("a column that isn't what decode expects is an error, never a misread value")
  func wrongColumns() async throws {
    func read<T: Sendable>(
      _ pool: ConnectionPool, _ sql: String,
      _ decode: @escaping @Sendable (inout RowReader) throws(PostgresError) -> T
    ) async throws -> [T] {
      try await pool.run(DynamicStatement(name: "read", sql: sql, parameters: Parameters(), decode: decode))
    }
    try await withPool { (pool) async throws in
      let cases: [(String, @Sendable (inout RowReader) throws(PostgresError) -> Void)] = [
        ("SELECT now()", { row throws(PostgresError) in _ = try row.int64() }),
        ("SELECT 1::int8", { row throws(PostgresError) in _ = try row.int32() }),
        ("SELECT 1::int8", { row throws(PostgresError) in _ = try row.string() }),
        ("SELECT NULL::int8", { row throws(PostgresError) in _ = try row.int64() }),
        ("SELECT ARRAY[1, NULL]::int8[]", { row throws(PostgresError) in _ = try row.int64Array() }),
        ("SELECT ARRAY[[1], [2]]::int8[]", { row throws(PostgresError) in _ = try row.int64Array() }),
        (
          "SELECT 1::int8",
          { row throws(PostgresError) in
            _ = try row.int64()
            _ = try row.int64()
          }
        ),
      ]
      for (sql, decode) in cases {
        await #expect("\(sql)") { try await read(pool, sql, decode) } throws: {
          if case PostgresError.decode = $0 { true } else { false }
        }
      }
      #expect(try await read(pool, "SELECT 7::int2") { row throws(PostgresError) in try row.int64() } == [7])
    }
  }
}
