import Foundation
import Postgres
import TestSupport
import Testing

@Suite("A batch in trouble")
struct BatcherTroubleTests {
  struct Update: Statement {
    typealias Row = NoRow
    static let sql = "UPDATE t SET text = $2 WHERE id = $1"
    let id: Int64
    let text: String
    func bind(to parameters: inout Parameters) {
      parameters.add(id)
      parameters.add(text)
    }
  }

  @Test("a deadlock repeats the batch")
  func deadlock() async throws {
    struct Both: Statement {
      typealias Row = NoRow
      static let sql = """
        WITH one AS (UPDATE t SET text = 'batch' WHERE id = 2 RETURNING pg_sleep(0)),
        two AS (UPDATE t SET text = 'batch' WHERE id = 1 AND EXISTS (SELECT FROM one) RETURNING id)
        SELECT count(*) FROM two
        """
      func bind(to parameters: inout Parameters) {}
    }
    let journal = Journal<PostgresEvent>()
    try await withPool(observe: journal.add) { (pool) async throws in
      try await pool.script("INSERT INTO t VALUES (1, ''), (2, '')")
      let batcher = Batcher<Int, Bool>(name: "deadlock", pool: pool, keys: { _ in [] }) { requests, executor in
        _ = try await executor.run(Both())
        return requests.map { _ in .answer(true) }
      }
      try await pool.transaction { transaction in
        // So that the batch, not this, is the victim.
        try await transaction.script("SET LOCAL deadlock_timeout = '30s'")
        try await transaction.execute(Update(id: 1, text: "here"))
        let batch = Task { try await batcher.submit(1, deadline: .now + .seconds(30)) }
        let waits =
          "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')"
        try await eventually(pool, waits)
        try await transaction.execute(Update(id: 2, text: "here"))
        Self.pending { $0 = batch }
      }
      #expect(try await Self.pending { $0 }?.value == true)
      #expect(journal.events.contains(.batchRepeated(batcher: "deadlock", sqlState: "40P01")))
    }
  }

  private static let pending = Box<Task<Bool, any Error>?>(nil)

  final class Box<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value
    init(_ value: Value) { self.value = value }
    func callAsFunction<R>(_ body: (inout Value) -> R) -> R { lock.withLock { body(&value) } }
  }

  @Test("busy comes again, in front of what waits for the same key, until its deadline")
  func busy() async throws {
    let seen = Journal<[Int]>()
    try await withPool { (pool) async throws in
      let batcher = Batcher<Int, Int>(name: "busy", pool: pool, keys: { _ in [.int(1)] }) { requests, executor in
        seen.add(requests)
        _ = try await executor.run(SelectInt(value: 1))
        return requests.map { $0 == 1 && seen.events.count < 4 ? .busy : .answer($0) }
      }
      async let one = batcher.submit(1, deadline: .now + .seconds(30))
      while seen.events.isEmpty { await lookAgain() }
      async let two = batcher.submit(2, deadline: .now + .seconds(30))
      #expect(try await one == 1)
      #expect(try await two == 2)
      #expect(seen.events == [[1], [1], [1], [1], [2]])

      let never = Batcher<Int, Int>(name: "never", pool: pool, keys: { _ in [.int(1)] }) { requests, _ in
        requests.map { _ in .busy }
      }
      await #expect(throws: PostgresError.deadline) { try await never.submit(1, deadline: .now + .milliseconds(80)) }
    }
  }

  @Test("a connection that breaks under a batch: the batch is replayed")
  func replay() async throws {
    let journal = Journal<PostgresEvent>()
    try await withPool(observe: journal.add) { (pool) async throws in
      let tries = Journal<Int>()
      let batcher = Batcher<Insert, Bool>(name: "replay", pool: pool, keys: { [.int($0.id)] }) { requests, executor in
        tries.add(requests.count)
        let rows = try await executor.run(BatcherTests.InsertBatch(rows: requests))
        if tries.events.count == 1 {
          // Applied, but the answer of the next statement never comes.
          let pid = try await executor.first(BackendPID())
          _ = try await executor.run(Terminate(pid: pid ?? 0))
        }
        return rows.map { .answer($0) }
      }
      // The first try inserted the row, so the replay finds it there.
      #expect(try await batcher.submit(Insert(id: 1), deadline: .now + .seconds(30)) == false)
      #expect(tries.events == [1, 1])
      #expect(journal.events.contains(.batchReplayed(batcher: "replay", rows: 1)))
    }
  }

  @Test("a batch that can't be replayed in time has an unknown outcome")
  func unresolved() async throws {
    try await withPool { (pool) async throws in
      var limits = BatchLimits()
      limits.replayWindow = .milliseconds(50)
      let batcher = Batcher<Int, Int>(name: "lost", pool: pool, limits: limits, keys: { _ in [] }) {
        requests, executor in
        let pid = try await executor.first(BackendPID())
        _ = try await executor.run(Terminate(pid: pid ?? 0))
        return requests.map { .answer($0) }
      }
      await #expect(throws: PostgresError.outcomeUnknown("the database didn't come back in time")) {
        try await batcher.submit(1, deadline: .now + .seconds(30))
      }
    }
  }

  @Test("errors of the batch's own code reach the callers, by type only")
  func ownErrors() async throws {
    struct Oops: Error { let secret = "secret" }
    try await withPool { (pool) async throws in
      let throwing = Batcher<Int, Int>(name: "throws", pool: pool, keys: { _ in [] }) { _, _ in throw Oops() }
      await #expect(throws: PostgresError.batch("Oops")) { try await throwing.submit(1, deadline: .now + .seconds(5)) }
      let short = Batcher<Int, Int>(name: "short", pool: pool, keys: { _ in [] }) { _, _ in [] }
      await #expect(throws: PostgresError.batch("0 results for 1 requests")) {
        try await short.submit(1, deadline: .now + .seconds(5))
      }
      short.close()
      await #expect(throws: PostgresError.unavailable("the batcher is closed")) {
        try await short.submit(1, deadline: .now + .seconds(5))
      }
    }
  }
}
