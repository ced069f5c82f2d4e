import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite("COPY")
struct CopyTests {
  private static let table = "CREATE TEMP TABLE t (a bigint, b text, c jsonb, d boolean, e timestamptz, f uuid, g int2)"
  private static let sql = "COPY t (a, b, c, d, e, f, g) FROM STDIN (FORMAT binary)"

  private static func rows(_ numbers: Range<Int64>, text: String = "ä\u{1F600}") -> CopyRows {
    var rows = CopyRows(columns: 7)
    for number in numbers {
      rows.beginRow()
      rows.add(number)
      rows.add(number % 2 == 0 ? text : nil)
      rows.add(json: Array(#"{"n":\#(number)}"#.utf8))
      rows.add(true)
      rows.add(timestamp: number * 1_000_000)
      rows.add(UUID(uuidString: "00000000-0000-7000-8000-000000000001"))
      rows.add(Int16(7))
    }
    return rows
  }

  private struct Sums: Statement {
    static let sql = """
      SELECT count(*), coalesce(sum(a), 0)::bigint, count(b), count(*) FILTER (WHERE c ->> 'n' = a::text AND d AND g = 7
        AND e = to_timestamp(a) AND f = '00000000-0000-7000-8000-000000000001')
      FROM t
      """
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> [Int64] {
      [try row.int64(), try row.int64(), try row.int64(), try row.int64()]
    }
  }

  @Test("Rows of every type arrive as they were added, more of them than a socket takes")
  func arrives() async throws {
    try await withDatabase(migrations: []) { url in
      let pool = ConnectionPool(PoolConfiguration(url: url))
      let sums = try await pool.transaction { transaction in
        try await transaction.script(Self.table)
        #expect(try await transaction.copy(Self.sql, label: "t", Self.rows(0..<40_000)) == 40_000)
        #expect(try await transaction.copy(Self.sql, label: "t", CopyRows(columns: 7)) == 0)
        return try await transaction.first(Sums())
      }
      #expect(sums == [40_000, 799_980_000, 20_000, 40_000])
      await pool.close()
    }
  }

  @Test("A refused row refuses all, with what PostgreSQL says, and the connection goes on")
  func refuses() async throws {
    try await withDatabase(migrations: []) { url in
      var configuration = PoolConfiguration(url: url)
      configuration.size = 1
      let pool = ConnectionPool(configuration)
      try await pool.script(Self.table + "; ALTER TABLE t ADD CONSTRAINT small CHECK (a < 30000)")
      let error = await #expect(throws: PostgresError.self) {
        try await pool.transaction { try await $0.copy(Self.sql, label: "t", Self.rows(0..<40_000)) }
      }
      #expect(error?.constraint == "small")
      let missing = await #expect(throws: PostgresError.self) {
        try await pool.transaction { try await $0.copy("COPY u FROM STDIN", label: "u", Self.rows(0..<1)) }
      }
      #expect(missing?.sqlState == "42P01")
      #expect(try await pool.first(Sums()) == [0, 0, 0, 0])
      await pool.close()
    }
  }

  @Test("A text with U+0000 is refused before anything is sent")
  func refusesNUL() async throws {
    try await withDatabase(migrations: []) { url in
      let pool = ConnectionPool(PoolConfiguration(url: url))
      await #expect(throws: PostgresError.parameter(index: 1, "a text holds U+0000")) {
        try await pool.transaction { try await $0.copy(Self.sql, label: "t", Self.rows(0..<3, text: "a\0b")) }
      }
      await pool.close()
    }
  }
}
