import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Transactions")
struct TransactionTests {
  struct Refused: Error, Equatable {}

  @Test("commit together, or not at all when the body throws")
  func commitAndRollback() async throws {
    try await withPool { (pool) async throws in
      let answer = try await pool.transaction { transaction in
        try await transaction.execute(Insert(id: 1))
        try await transaction.execute(Insert(id: 2))
        return "done"
      }
      #expect(answer == "done")
      await #expect(throws: Refused()) {
        try await pool.transaction { transaction in
          try await transaction.execute(Insert(id: 3))
          throw Refused()
        }
      }
      #expect(try await pool.first(Count()) == 2)
    }
  }

  @Test("a body that swallowed a failed statement doesn't commit in silence")
  func swallowedError() async throws {
    try await withPool { (pool) async throws in
      let error = await #expect(throws: PostgresError.self) {
        try await pool.transaction { transaction in
          try await transaction.execute(Insert(id: 1))
          _ = try? await transaction.execute(Insert(id: 1))
        }
      }
      #expect(error?.sqlState == "25P02")
      #expect(try await pool.first(Count()) == 0)
    }
  }

  @Test("one that is over can't be used, and one that was lost before COMMIT surely did nothing")
  func overAndLost() async throws {
    try await withPool({ $0.size = 1 }) { (pool) async throws in
      let kept = try await pool.transaction { $0 }
      await #expect(throws: PostgresError.unavailable("the transaction is over")) { try await kept.run(Count()) }
      await #expect("") {
        try await pool.transaction { transaction in
          try await transaction.execute(Insert(id: 1))
          let pid = try #require(try await transaction.first(BackendPID()))
          try await terminate(pid, in: pool.configuration.url)
          try await transaction.execute(Insert(id: 2))
        }
      } throws: {
        if case PostgresError.unavailable = $0 { true } else { false }
      }
      #expect(try await pool.first(Count()) == 0)
    }
  }

  @Test("repeatable read keeps one snapshot")
  func isolation() async throws {
    try await withPool { (pool) async throws in
      try await pool.transaction(.repeatableRead) { transaction in
        #expect(try await transaction.first(Count()) == 0)
        try await pool.execute(Insert(id: 1))
        #expect(try await transaction.first(Count()) == 0)
      }
    }
  }

  @Test("a cancelled task ends its statement and rolls back")
  func cancellation() async throws {
    try await withPool { (pool) async throws in
      let task = Task {
        try await pool.transaction { transaction in
          try await transaction.execute(Insert(id: 1))
          _ = try await transaction.run(Sleep(milliseconds: 60_000))
        }
      }
      try await eventually(
        pool,
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep')")
      task.cancel()
      await #expect(throws: PostgresError.cancelled) { try await task.value }
      #expect(try await pool.first(Count()) == 0)
    }
  }
}
