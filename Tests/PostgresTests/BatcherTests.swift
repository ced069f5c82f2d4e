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
    _ pool: ConnectionPool, lanes: Int = 1, limits: BatchLimits = BatchLimits(), sizes: Journal<Int> = Journal()
  ) -> Batcher<Insert, Bool> {
    Batcher(name: "insert", pool: pool, lanes: lanes, limits: limits, keys: { [.int($0.id)] }) { requests, executor in
      sizes.add(requests.count)
      return try await executor.run(InsertBatch(rows: requests)).map { .answer($0) }
    }
  }

  @Test("everybody gets his own answer, in far fewer statements than requests", arguments: [1, 3])
  func batches(lanes: Int) async throws {
    let sizes = Journal<Int>()
    try await withPool { (pool) async throws in
      let batcher = Self.inserter(pool, lanes: lanes, sizes: sizes)
      let fresh = try await withThrowingTaskGroup(of: Bool.self) { group in
        for id in 0..<1000 {
          group.addTask { try await batcher.submit(Insert(id: Int64(id / 2)), deadline: .now + .seconds(30)) }
        }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(fresh == 500)
      #expect(try await pool.first(Count()) == 500)
      #expect(sizes.events.reduce(0, +) == 1000)
      #expect(sizes.events.count < 500)
      #expect(sizes.events.max() ?? 0 <= 256)
    }
  }

  @Test("only the bad request fails: a refused constraint, a refused value, a text with U+0000")
  func isolation() async throws {
    let journal = Journal<PostgresEvent>()
    try await withPool(observe: journal.add) { (pool) async throws in
      try await pool.script("ALTER TABLE t ADD CONSTRAINT t_short CHECK (length(text) < 5)")
      let held = HeldBatcher(pool)
      let bad: [Int64: String] = [3: "much too long", 7: "nul\0"]
      let tasks = (0..<10).map { id in held.submit(Insert(id: Int64(id), text: bad[Int64(id)])) }
      try await held.release(after: 10)
      for (id, task) in tasks.enumerated() {
        switch id {
        case 3:
          let error = await #expect(throws: PostgresError.self) { try await task.value }
          #expect(error?.constraint == "t_short")
        case 7:
          await #expect(throws: PostgresError.parameter(index: 2, "a text holds U+0000")) { try await task.value }
        default: #expect(try await task.value == true)
        }
      }
      #expect(try await pool.first(Count()) == 8 + 1)
      #expect(
        journal.events.contains {
          if case .batchIsolated = $0 { true } else { false }
        })
    }
  }

  @Test("requests with a common key never share a batch and keep their order")
  func keyOrder() async throws {
    try await withPool { (pool) async throws in
      let order = Journal<[Int64]>()
      let held = HeldBatcher(pool, keys: { [.int($0.id % 3)] }, seen: order)
      var tasks: [Task<Bool, any Error>] = []
      for id in 0..<9 {
        tasks.append(held.submit(Insert(id: Int64(id))))
        try await held.queued(id + 1)
      }
      try await held.release(after: 9)
      for task in tasks { #expect(try await task.value) }
      #expect(order.events == [[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    }
  }

  @Test("its bounds answer overloaded: per key, rows, bytes and a tenant's share")
  func bounds() async throws {
    try await withPool { (pool) async throws in
      func refused(
        _ change: (inout BatchLimits) -> Void, _ keys: @escaping @Sendable (Insert) -> [BatchKey] = { [.int($0.id)] },
        allowed: Int, then other: Insert? = nil
      ) async throws {
        var limits = BatchLimits()
        change(&limits)
        let held = HeldBatcher(pool, limits: limits, keys: keys)
        let tasks = (0..<allowed).map { _ in held.submit(Insert(id: .random(in: 1000...1 << 60))) }
        try await held.queued(allowed)
        await #expect(throws: PostgresError.overloaded) { try await held.submit(Insert(id: 4)).value }
        let more = other.map { held.submit($0) }
        try await held.release(after: allowed)
        for task in tasks { #expect(try await task.value) }
        if let more { #expect(try await more.value) }
      }
      try await refused({ $0.maxQueuedPerKey = 8 }, { _ in [.string("one")] }, allowed: 8)
      try await refused({ $0.maxQueuedRows = 5 * 2 }, allowed: 5, then: Insert(id: -1, text: "other"))
      try await refused({ $0.maxQueuedBytes = 300 }, allowed: 3)
      try await refused({ ($0.maxQueuedRows, $0.tenantShare) = (4, 1) }, allowed: 4)
    }
  }

  @Test("a deadline, or cancelling the task, takes a request out of the queue and never out of a batch")
  func deadlines() async throws {
    try await withPool { (pool) async throws in
      let held = HeldBatcher(pool)
      let cancelled = held.submit(Insert(id: 2))
      try await held.queued(1)
      let late = held.submit(Insert(id: 1), deadline: .now + .milliseconds(50))
      await #expect(throws: PostgresError.deadline) { try await late.value }
      cancelled.cancel()
      await #expect(throws: PostgresError.cancelled) { try await cancelled.value }
      // The plug is in flight all this time; cancelling it changes nothing.
      held.plug.cancel()
      try await held.release(after: 0)
      #expect(try await held.plug.value)
      await #expect(throws: PostgresError.deadline) { try await held.submit(Insert(id: 3), deadline: .now).value }
      #expect(try await pool.first(Count()) == 1)
    }
  }

  @Test("what is cancelled before it starts is never queued")
  func cancelledEarly() async throws {
    try await withPool { (pool) async throws in
      let batcher = Self.inserter(pool)
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await batcher.submit(Insert(id: 1), deadline: .now + .seconds(5))
      }
      await #expect(throws: PostgresError.cancelled) { try await task.value }
      #expect(try await pool.first(Count()) == 0)
    }
  }
}

/// A batcher of inserts whose first batch (the plug, id -100) stays in flight until it is released, so that a test
/// decides what the second batch is made of. Each request weighs 100 bytes; its tenant is its text's length.
final class HeldBatcher: Sendable {
  let batcher: Batcher<Insert, Bool>
  let plug: Task<Bool, any Error>
  private let gate: Gate

  init(
    _ pool: ConnectionPool, limits: BatchLimits = BatchLimits(),
    keys: @escaping @Sendable (Insert) -> [BatchKey] = { [.int($0.id)] }, seen: Journal<[Int64]> = Journal()
  ) {
    let gate = Gate()
    let id = -Int64.random(in: 100...Int64.max)
    let batcher = Batcher<Insert, Bool>(
      name: "held", pool: pool, limits: limits, keys: { $0.id == id ? [] : keys($0) },
      tenant: { Int64($0.text?.count ?? 0) }, bytes: { _ in 100 }
    ) { requests, executor in
      if requests.first?.id == id { await gate.wait() } else { seen.add(requests.map(\.id)) }
      return try await executor.run(BatcherTests.InsertBatch(rows: requests)).map { .answer($0) }
    }
    self.gate = gate
    self.batcher = batcher
    plug = Task { try await batcher.submit(Insert(id: id), deadline: .now + .seconds(30)) }
  }

  func submit(
    _ request: Insert, deadline: ContinuousClock.Instant = .now + .seconds(30)
  ) -> Task<Bool, any Error> {
    Task {
      await gate.entered()
      return try await batcher.submit(request, deadline: deadline)
    }
  }

  /// The plug itself is queued for a moment.
  func queued(_ count: Int) async throws {
    await gate.entered()
    while batcher.queued < count { await lookAgain() }
  }

  func release(after count: Int) async throws {
    try await queued(count)
    await gate.open()
  }
}
