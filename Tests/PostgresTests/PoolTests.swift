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

  @Test("one caller too many is overloaded at once; a waiter's deadline ends his wait; first come, first served")
  func waiting() async throws {
    let journal = Journal<PostgresEvent>()
    try await withPool({ ($0.size, $0.maxWaiters) = (1, 2) }, observe: journal.add) { (pool) async throws in
      let gate = Gate()
      let holder = Task { try await pool.transaction { _ in await gate.wait() } }
      await gate.entered()
      let order = Journal<Int>()
      let patient = Task {
        _ = try await pool.run(SelectInt(value: 1))
        order.add(1)
      }
      while pool.waiting < 1 { await lookAgain() }
      let hasty = Task { try await pool.run(SelectInt(value: 2), deadline: .now + .milliseconds(50)) }
      await #expect(throws: PostgresError.deadline) { try await hasty.value }
      let last = Task {
        _ = try await pool.run(SelectInt(value: 4))
        order.add(4)
      }
      while pool.waiting < 2 { await lookAgain() }
      await #expect(throws: PostgresError.overloaded) { try await pool.run(SelectInt(value: 3)) }
      await gate.open()
      try await holder.value
      try await patient.value
      try await last.value
      #expect(order.events == [1, 4])
      #expect(journal.events.contains(.overloaded))
      #expect(journal.events.contains(.waitDeadline))
    }
  }

  @Test("a cancelled waiter leaves the queue")
  func cancelledWaiter() async throws {
    try await withPool({ $0.size = 1 }) { (pool) async throws in
      let gate = Gate()
      let holder = Task { try await pool.transaction { _ in await gate.wait() } }
      await gate.entered()
      let waiter = Task { try await pool.run(SelectInt(value: 1)) }
      while pool.waiting < 1 { await lookAgain() }
      waiter.cancel()
      await #expect(throws: PostgresError.cancelled) { try await waiter.value }
      #expect(pool.waiting == 0)
      await gate.open()
      try await holder.value
    }
  }

  @Test("at its deadline a statement is cancelled in the server, and the connection goes on")
  func statementDeadline() async throws {
    try await withPool({ $0.size = 1 }) { (pool) async throws in
      let pid = try await pool.first(BackendPID())
      await #expect(throws: PostgresError.deadline) {
        try await pool.run(Sleep(milliseconds: 60_000), deadline: .now + .milliseconds(100))
      }
      #expect(try await pool.first(BackendPID()) == pid)
    }
  }

  @Test("a deadline that has passed sends nothing")
  func passedDeadline() async throws {
    try await withPool { (pool) async throws in
      await #expect(throws: PostgresError.deadline) { try await pool.execute(Insert(id: 1), deadline: .now) }
      #expect(try await pool.first(Count()) == 0)
    }
  }

  @Test("a cancelled task's statement is cancelled in the server")
  func cancellation() async throws {
    try await withPool({ $0.size = 2 }) { (pool) async throws in
      let task = Task { try await pool.run(Sleep(milliseconds: 60_000), deadline: .now + .seconds(60)) }
      let sleeping =
        "EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep')"
      try await eventually(pool, "SELECT \(sleeping)")
      task.cancel()
      await #expect(throws: PostgresError.cancelled) { try await task.value }
      try await eventually(pool, "SELECT NOT \(sleeping)")
    }
  }

  @Test("a server that answers nothing, not even a cancellation: the outcome is unknown and nothing hangs")
  func silentServer() async throws {
    try await withPool({ ($0.size, $0.cancelGrace) = (1, .milliseconds(100)) }) { (pool) async throws in
      let pid = try #require(try await pool.first(BackendPID()))
      try await pool.execute(Insert(id: 0))
      kill(pid, SIGSTOP)
      defer { kill(pid, SIGCONT) }
      await #expect("") {
        try await pool.execute(Insert(id: 1), deadline: .now + .milliseconds(100))
      } throws: {
        if case PostgresError.outcomeUnknown = $0 { true } else { false }
      }
      #expect(try await pool.first(BackendPID()) != pid)
    }
  }

  @Test("a pooled connection that died unnoticed is replaced before anything is sent, prepared statements included")
  func staleConnections() async throws {
    let journal = Journal<PostgresEvent>()
    try await withPool({ $0.size = 1 }, observe: journal.add) { (pool) async throws in
      try await pool.execute(Insert(id: 1))
      let pid = try #require(try await pool.first(BackendPID()))
      try await terminate(pid, in: pool.configuration.url)
      try await pool.execute(Insert(id: 2))
      #expect(try await pool.first(Count()) == 2)
      #expect(journal.events.contains(.staleConnection))
    }
  }

  @Test("a connection lost in the middle: a SELECT is sent again, an INSERT that the server ended is unavailable")
  func lostInTheMiddle() async throws {
    let journal = Journal<PostgresEvent>()
    try await withPool({ $0.size = 1 }, observe: journal.add) { (pool) async throws in
      let other = ConnectionPool(PoolConfiguration(url: pool.configuration.url))
      let pid = try #require(try await pool.first(BackendPID()))
      let reader = try await other.transaction { transaction in
        _ = try await transaction.run(TakeLock())
        let reader = Task { try await pool.first(TakeLock()) }
        let waiting = "SELECT wait_event = 'advisory' FROM pg_stat_activity WHERE pid"
        try await eventually(other, "\(waiting) = \(pid)")
        #expect(try await other.first(Terminate(pid: pid)) == true)
        let again = "datname = current_database() AND wait_event = 'advisory'"
        try await eventually(other, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid <> \(pid) AND \(again))")
        return reader
      }
      #expect(try await reader.value == "")
      #expect(journal.events.contains(.retried(statement: "TakeLock")))

      let next = try #require(try await pool.first(BackendPID()))
      try await other.transaction { transaction in
        try await transaction.script("LOCK TABLE t IN ACCESS EXCLUSIVE MODE")
        let writer = Task { try await pool.execute(Insert(id: 1)) }
        let waiting = "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = \(next)"
        try await eventually(other, waiting)
        _ = try await transaction.run(Terminate(pid: next))
        await #expect(throws: PostgresError.unavailable("57P01")) { try await writer.value }
      }
      #expect(try await pool.first(Count()) == 0)
      await other.close()
    }
  }

  @Test("a table that changed under a prepared statement is prepared anew")
  func changedTable() async throws {
    struct All: Statement {
      static let sql = "SELECT * FROM t"
      func bind(to parameters: inout Parameters) {}
      static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.int64() }
    }
    try await withPool({ $0.size = 1 }) { (pool) async throws in
      try await pool.execute(Insert(id: 1))
      #expect(try await pool.run(All()) == [1])
      try await pool.script("ALTER TABLE t ADD COLUMN more text")
      #expect(try await pool.run(All()) == [1])
    }
  }

  @Test("a pipeline: each statement stands alone, in one round trip")
  func pipeline() async throws {
    try await withPool({ $0.size = 1 }) { (pool) async throws in
      try await pool.execute(Insert(id: 7))
      let results = try await pool.pipeline([5, 6, 7, 8].map { Insert(id: $0) })
      #expect(results.map { (try? $0.get()) == nil } == [false, false, true, false])
      #expect(throws: PostgresError.self) { try results[2].get() }
      #expect(try await pool.first(Count()) == 4)
    }
  }

  @Test("a notice is nobody's output, a closed pool says so")
  func noticesAndClosing() async throws {
    try await withPool { (pool) async throws in
      try await pool.script("DO $$ BEGIN RAISE WARNING 'never shown'; END $$")
      await pool.close()
      await #expect(throws: PostgresError.unavailable("the pool is closed")) { try await pool.run(Count()) }
    }
  }
}

struct TakeLock: Statement {
  static let sql = "SELECT pg_advisory_xact_lock(1)::text"
  func bind(to parameters: inout Parameters) {}
  static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.string() }
}

/// Ends another session and waits until it is gone.
func terminate(_ pid: Int32, in url: String) async throws {
  let pool = ConnectionPool(PoolConfiguration(url: url))
  _ = try await pool.run(Terminate(pid: pid))
  await pool.close()
}
