import Foundation
import Postgres
import TestSupport
import Testing

@Suite("The pool")
struct PoolTests {
  @Test("lends each connection to one caller at a time and never opens more than its size")
  func size() async throws {
    try await withPool({ $0.size = 3 }) { (pool) async throws in
      let pids = try await withThrowingTaskGroup(of: Int32?.self) { group in
        for _ in 0..<100 { group.addTask { try await pool.first(BackendPID()) } }
        return try await group.reduce(into: Set<Int32?>()) { $0.insert($1) }
      }
      #expect((1...3).contains(pids.count))
    }
  }

  @Test("tells an error's SQLSTATE, constraint and table, but no values")
  func serverErrors() async throws {
    try await withPool { (pool) async throws in
      try await pool.execute(Insert(id: 1, text: "secret"))
      let error = await #expect(throws: PostgresError.self) { try await pool.run(Insert(id: 1, text: "secret")) }
      #expect(error?.sqlState == "23505")
      #expect(error?.constraint == "t_pkey")
      #expect(error?.server?.table == "t")
      #expect(!"\(String(describing: error))".contains("secret"))
      // The connection goes on working.
      #expect(try await pool.first(Count()) == 1)
    }
  }
}
