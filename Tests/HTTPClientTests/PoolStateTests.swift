import Testing

@testable import HTTPClient

@Suite("Growth, window and back-off of a pool")
struct PoolStateTests {
  private let second: UInt64 = 1_000_000_000

  private func state(waiting: Int, _ change: (inout HTTP2Configuration) -> Void = { _ in }) async -> PoolState {
    var configuration = HTTP2Configuration()
    change(&configuration)
    var state = PoolState(configuration: configuration)
    if waiting > 0 { state.queue.append(await Self.batch(waiting), urgent: false) }
    return state
  }

  /// A batch nobody waits for.
  private static func batch(_ count: Int) async -> Batch {
    await withCheckedContinuation { (done: CheckedContinuation<Batch, Never>) in
      Task {
        _ = await withCheckedContinuation { continuation in
          let batch = Batch(
            TestRequests("n", count), handOverBefore: .max, endsAt: .max, continuation: continuation)
          done.resume(returning: batch)
          for index in 0..<count { batch.end(index, .ok) }
        }
      }
    }
  }

  @Test("the first request opens a connection at once; without one nothing opens")
  func first() async {
    #expect(await state(waiting: 1).shouldOpen(now: 0))
    #expect(await !state(waiting: 0).shouldOpen(now: 0))
  }

  @Test("a second connection comes only with a backlog beyond all windows, after the first answer and the interval")
  func second() async {
    var pool = await state(waiting: 150)
    pool.opened(1, loop: 0, now: 0)
    #expect(!pool.shouldOpen(now: 5 * second))
    pool.became(ready: 1)
    #expect(!pool.shouldOpen(now: second - 1))
    #expect(pool.shouldOpen(now: second))
    pool.opened(2, loop: 1, now: second)
    pool.became(ready: 2)
    #expect(!pool.shouldOpen(now: 9 * second), "150 waiting are no backlog for two windows of 100")
  }

  @Test("never more connections than the limit")
  func limit() async {
    var pool = await state(waiting: 10_000) { $0.connectionsPerPool = 2 }
    for number in [UInt32(1), 2] {
      pool.opened(number, loop: 0, now: UInt64(number) * second)
      pool.became(ready: number)
    }
    #expect(!pool.shouldOpen(now: 60 * second))
    pool.left(1)
    #expect(pool.shouldOpen(now: 60 * second))
  }

  @Test("failed connects wait 1, 2, 4 … 60 s at most, half of it random, and an answer forgets them")
  func backoff() async {
    var pool = await state(waiting: 1)
    var waits: [UInt64] = []
    for number in UInt32(1)...9 {
      pool.opened(number, loop: 0, now: 0)
      waits.append(pool.connectFailed(number, code: 7, now: 0, jitter: 1))
    }
    #expect(waits.map { $0 / second } == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    #expect(!pool.shouldOpen(now: 60 * second - 1))
    #expect(pool.shouldOpen(now: 60 * second))
    #expect(pool.lastFailure == 7)
    pool.opened(10, loop: 0, now: 60 * second)
    pool.became(ready: 10)
    #expect(pool.failures == 0)
    pool.opened(11, loop: 0, now: 90 * second)
    #expect(pool.connectFailed(11, code: 7, now: 90 * second, jitter: 0) == second / 2)
  }

  @Test("refusals halve the window down to one; answers raise it step by step to the configured one")
  func window() async {
    var pool = await state(waiting: 0) { $0.window = 16 }
    var seen: [Int] = []
    for _ in 0..<6 {
      pool.refused()
      seen.append(pool.window)
    }
    #expect(seen == [8, 4, 2, 1, 1, 1])
    pool.answered(1)
    #expect(pool.window == 2)
    pool.answered(1)
    #expect(pool.window == 2)
    pool.answered(1)
    #expect(pool.window == 3)
    for _ in 0..<100 { pool.answered(20) }
    #expect(pool.window == 16)
  }
}
