import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Natural batching")
struct BatcherTests {
  struct InsertBatch: Statement {
    static let sql = """
      WITH r AS (SELECT * FROM unnest($1, $2) WITH ORDINALITY u(id, text, ord)),
      i AS (INSERT INTO t (id, text) SELECT id, text FROM r ORDER BY id ON CONFLICT DO NOTHING RETURNING id)
      SELECT i.id IS NOT NULL FROM r LEFT JOIN i USING (id) ORDER BY r.ord
      """
    let rows: [Insert]
    func bind(to parameters: inout Parameters) {
      parameters.add(rows.map(\.id))
      parameters.add(rows.map(\.text))
    }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
  }

  static func inserter(
    _ pool: ConnectionPool, limits: BatchLimits = BatchLimits(), sizes: Journal<Int> = Journal()
  ) -> Batcher<Insert, Bool> {
    Batcher(name: "insert", pool: pool, limits: limits, keys: { [.int($0.id)] }) { requests, executor in
      sizes.add(requests.count)
      return try await executor.run(InsertBatch(rows: requests)).map { .answer($0) }
    }
  }

  @Test("everybody gets his own answer, in far fewer statements than requests")
  func batches() async throws {
    let sizes = Journal<Int>()
    try await withPool { (pool) async throws in
      let batcher = Self.inserter(pool, sizes: sizes)
      let fresh = try await withThrowingTaskGroup(of: Bool.self) { group in
        for id in 0..<1000 {
          group.addTask {
            try await batcher.submit(Insert(id: Int64(id / 2)), deadline: .now + .seconds(10))
          }
        }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(fresh == 500)
      #expect(try await pool.first(Count()) == 500)
      #expect(sizes.events.reduce(0, +) == 1000)
      #expect(sizes.events.count < 200)
      #expect(sizes.events.max() ?? 0 <= 256)
    }
  }
}
