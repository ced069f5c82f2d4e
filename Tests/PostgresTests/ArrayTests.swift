import Foundation
import Postgres
import Testing

@Suite("Arrays are one parameter each")
struct ArrayTests {
  struct EchoArrays: Statement {
    static let sql = "SELECT $1, $2, $3, $4, $5, $6, $7"
    var bools: [Bool] = []
    var smalls: [Int16] = []
    var ints: [Int32] = []
    var bigs: [Int64] = []
    var texts: [String] = []
    var uuids: [UUID] = []
    var blobs: [[UInt8]] = []

    struct Row: Sendable, Equatable {
      var bools: [Bool] = []
      var smalls: [Int16] = []
      var ints: [Int32] = []
      var bigs: [Int64] = []
      var texts: [String] = []
      var uuids: [UUID] = []
      var blobs: [[UInt8]] = []
    }

    func bind(to parameters: inout Parameters) {
      parameters.add(bools)
      parameters.add(smalls)
      parameters.add(ints)
      parameters.add(bigs)
      parameters.add(texts)
      parameters.add(uuids)
      parameters.add(blobs)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
      Row(
        bools: try row.boolArray(), smalls: try row.int16Array(), ints: try row.int32Array(),
        bigs: try row.int64Array(), texts: try row.stringArray(), uuids: try row.uuidArray(),
        blobs: try row.bytesArray())
    }
  }

  @Test("empty, and with values")
  func roundTrip() async throws {
    let uuids = [UUID(), UUID()]
    try await withPool { (pool) async throws in
      #expect(try await pool.first(EchoArrays()) == EchoArrays.Row())
      let row = try await pool.first(
        EchoArrays(
          bools: [true, false], smalls: [.min, 0, .max], ints: [.min, 0, .max], bigs: [.min, 0, .max],
          texts: ["", "ä,\"{}\\", "NULL"], uuids: uuids, blobs: [[], [0], [255, 0, 1]]))
      #expect(
        row
          == EchoArrays.Row(
            bools: [true, false], smalls: [.min, 0, .max], ints: [.min, 0, .max], bigs: [.min, 0, .max],
            texts: ["", "ä,\"{}\\", "NULL"], uuids: uuids, blobs: [[], [0], [255, 0, 1]]))
    }
  }

  @Test("NULL elements of every type keep their places")
  func nullElements() async throws {
    struct Render: Statement {
      static let sql = """
        SELECT concat_ws('|', $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text),
               $4, $5, $7
        """
      struct Row: Sendable, Equatable {
        var text: String
        var bigs: [Int64?]
        var texts: [String?]
        var blobs: [[UInt8]?]
      }
      func bind(to parameters: inout Parameters) {
        parameters.add([true, nil] as [Bool?])
        parameters.add([nil, 1] as [Int16?])
        parameters.add([nil, nil] as [Int32?])
        parameters.add([1, nil, 3] as [Int64?])
        parameters.add([nil, "x"] as [String?])
        parameters.add([nil] as [UUID?])
        parameters.add([[1], nil] as [[UInt8]?])
        parameters.add(timestamps: [0, nil, .max])
        parameters.add(jsons: [Array("[1]".utf8), nil])
      }
      static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(
          text: try row.string(), bigs: try row.int64ArrayOfOrNils(), texts: try row.stringArrayOfOrNils(),
          blobs: try row.bytesArrayOfOrNils())
      }
    }
    let row = try await withPool { try await $0.first(Render()) }
    let text =
      #"{t,NULL}|{NULL,1}|{NULL,NULL}|{1,NULL,3}|{NULL,x}|{NULL}|{"\\x01",NULL}|"#
      + #"{"1970-01-01 00:00:00+00",NULL,infinity}|{[1],NULL}"#
    #expect(row == Render.Row(text: text, bigs: [1, nil, 3], texts: [nil, "x"], blobs: [[1], nil]))
  }

  @Test("unnest takes 10,000 rows at once, and says how many it inserted")
  func unnest() async throws {
    struct InsertMany: Statement {
      typealias Row = NoRow
      static let sql = "INSERT INTO t (id, text) SELECT id, text FROM unnest($1, $2) u(id, text)"
      let ids: [Int64]
      let texts: [String?]
      func bind(to parameters: inout Parameters) {
        parameters.add(ids)
        parameters.add(texts)
      }
    }
    try await withPool { (pool) async throws in
      let ids = Array(Int64(0)..<10_000)
      #expect(try await pool.execute(InsertMany(ids: ids, texts: ids.map { $0 % 2 == 0 ? "x" : nil })) == 10_000)
      #expect(try await pool.first(Count()) == 10_000)
    }
  }
}
