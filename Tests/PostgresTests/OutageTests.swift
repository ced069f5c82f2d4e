import Foundation
import Postgres
import TestSupport
import Testing

@Suite("The server goes away and comes back", .serialized)
struct OutageTests {
  static func withCluster(_ body: (TestCluster, ConnectionPool) async throws -> Void) async throws {
    let cluster = try TestCluster()
    var configuration = PoolConfiguration(url: cluster.url)
    configuration.size = 4
    let pool = ConnectionPool(configuration)
    let result: Result<Void, any Error>
    do {
      try await pool.script("CREATE TABLE t (id bigint PRIMARY KEY, text text)")
      result = .success(try await body(cluster, pool))
    } catch {
      result = .failure(error)
    }
    await pool.close()
    try cluster.remove()
    try result.get()
  }

  @Test("while it is down callers fail at once; after the restart the next one works")
  func restart() async throws {
    try await Self.withCluster { cluster, pool in
      try await pool.execute(Insert(id: 1))
      try cluster.stop()
      let start = ContinuousClock.now
      for _ in 0..<50 {
        await #expect("") {
          try await pool.run(Count())
        } throws: {
          if case PostgresError.unavailable = $0 { true } else { false }
        }
      }
      #expect(ContinuousClock.now - start < .seconds(5))
      try cluster.start()
      while true {
        do throws(PostgresError) {
          #expect(try await pool.first(Count()) == 1)
          break
        } catch {
          // Only for as long as the pool backs off.
          guard case .unavailable = error else { throw error }
          await lookAgain()
        }
      }
    }
  }

  @Test("an immediate stop in the middle of a statement: an error that says what is known, waiters included")
  func immediateStop() async throws {
    struct SlowInsert: Statement {
      typealias Row = NoRow
      static let sql = "INSERT INTO t SELECT 1, pg_sleep(60)::text"
      func bind(to parameters: inout Parameters) {}
    }
    try await Self.withCluster { cluster, pool in
      let slow = (0..<8).map { _ in
        Task { try await pool.execute(SlowInsert(), deadline: .now + .seconds(60)) }
      }
      while pool.waiting < 4 { await lookAgain() }
      try cluster.stop(.immediate)
      for task in slow {
        await #expect("") {
          try await task.value
        } throws: {
          switch $0 {
          case PostgresError.outcomeUnknown, PostgresError.unavailable: true
          default: false
          }
        }
      }
    }
  }

  @Test("batches in flight are replayed after an immediate restart: every request is applied exactly once")
  func batcherReplay() async throws {
    try await Self.withCluster { cluster, pool in
      var limits = BatchLimits()
      limits.replayWindow = .seconds(60)
      let batcher = BatcherTests.inserter(pool, limits: limits)
      let gate = Gate()
      let outcomes = Task {
        await withTaskGroup(of: [Int64: String].self) { group in
          for worker in 0..<16 {
            group.addTask {
              var outcomes: [Int64: String] = [:]
              for number in 0..<100 {
                let id = Int64(worker * 1000 + number)
                do throws(PostgresError) {
                  _ = try await batcher.submit(Insert(id: id), deadline: .now + .seconds(60))
                  outcomes[id] = "applied"
                } catch {
                  outcomes[id] = error.sqlState ?? "not"
                }
                if number == 20 { await gate.wait() }
              }
              return outcomes
            }
          }
          await gate.entered(16)
          await gate.open()
          try? cluster.stop(.immediate)
          try? cluster.start()
          return await group.reduce(into: [:]) { $0.merge($1) { $1 } }
        }
      }
      let all = await outcomes.value
      #expect(all.count == 1600)
      let applied = Set(all.filter { $0.value == "applied" }.keys)
      let rows = try await pool.run(
        DynamicStatement(name: "ids", sql: "SELECT id FROM t", parameters: Parameters()) { row throws(PostgresError) in
          try row.int64()
        })
      // fsync is off here, but the operating system lives on, so what was committed is there.
      #expect(applied.subtracting(rows).isEmpty)
      #expect(Set(all.values).subtracting(["applied", "not"]).isEmpty)
    }
  }
}
