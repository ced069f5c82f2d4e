/// Natural batching: one set-based statement in flight per lane; what arrives meanwhile forms the next batch. An
/// idle lane starts at once, so nothing waits for a timer. Requests with a common key are never in flight together
/// and keep their order. `perform` answers every request of the batch in its order; its statements must be harmless
/// when repeated.
package final class Batcher<Request: Sendable, Answer: Sendable>: Sendable {
  package typealias Instant = ContinuousClock.Instant
  package typealias Perform =
    @Sendable (_ requests: [Request], _ executor: any BatchExecutor) async throws -> [BatchResult<Answer>]
  typealias Item = BatchItem<Request, Answer>

  package let name: String
  package let limits: BatchLimits
  let pool: ConnectionPool
  let perform: Perform
  let queue: Locked<BatchQueue<Request, Answer>>
  private let keys: @Sendable (Request) -> [BatchKey]
  private let tenant: @Sendable (Request) -> Int64
  private let bytes: @Sendable (Request) -> Int

  package init(
    name: String, pool: ConnectionPool, lanes: Int = 1, limits: BatchLimits = BatchLimits(),
    keys: @escaping @Sendable (Request) -> [BatchKey],
    tenant: @escaping @Sendable (Request) -> Int64 = { _ in 0 },
    bytes: @escaping @Sendable (Request) -> Int = { _ in 0 },
    perform: @escaping Perform
  ) {
    self.name = name
    self.pool = pool
    self.limits = limits
    self.keys = keys
    self.tenant = tenant
    self.bytes = bytes
    self.perform = perform
    queue = Locked(BatchQueue(limits: limits, lanes: lanes))
  }

  /// Waits for this request's own answer. Its deadline, or cancelling the task, takes it out of the queue; once its
  /// batch is in flight the batch decides.
  package func submit(_ request: Request, deadline: Instant) async throws(PostgresError) -> Answer {
    let item = Item(
      request, keys: keys(request), tenant: tenant(request), bytes: bytes(request), deadline: deadline)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        item.wait(with: continuation)
        enqueue(item)
      }
    } onCancel: {
      cancel(item)
    }
    return try result.get()
  }

  /// Requests waiting, not counting those in flight.
  package var queued: Int { queue { $0.items.count + $0.parked.count } }

  /// Refuses new requests and fails the waiting ones; batches in flight end as they would.
  package func close() {
    for item in queue({ $0.close() }) { item.resume(.failure(.unavailable("the batcher is closed"))) }
  }

  private func enqueue(_ item: Item) {
    let (error, starts, sleeps) = queue { queue -> (PostgresError?, Bool, Bool) in
      if item.isCancelled { return (.cancelled, false, false) }
      if item.deadline <= .now { return (.deadline, false, false) }
      if let error = queue.add(item) { return (error, false, false) }
      if queue.startLane() { return (nil, true, false) }
      return (nil, false, needsSleeper(&queue, item.deadline))
    }
    if let error {
      if error == .overloaded { pool.observe(.batchOverloaded(batcher: name)) }
      item.resume(.failure(error))
    }
    if starts { Task { await runLane() } }
    if sleeps { Task { await sleep(until: item.deadline) } }
  }

  private func cancel(_ item: Item) {
    let removed = queue { queue in
      item.isCancelled = true
      return queue.remove(item)
    }
    if removed { item.resume(.failure(.cancelled)) }
  }

  /// Works until nothing is left that it may take.
  func runLane() async {
    while true {
      let batch = queue { $0.takeBatch() }
      if batch.isEmpty { return sleepIfNeeded() }
      let results = await work(for: batch)
      settle(batch, results)
    }
  }

  private func settle(_ batch: [Item], _ results: [Settlement]) {
    let busy = zip(batch, results).filter { $0.1.isBusy }.map(\.0)
    let starts = queue { queue in
      queue.settle(batch, busy: busy, now: .now)
      // This lane takes the next batch itself; keys that are free now may occupy another one.
      return queue.items.count > limits.maxBatchRows && queue.startLane()
    }
    if starts { Task { await runLane() } }
    if !busy.isEmpty { sleepIfNeeded() }
    for (item, result) in zip(batch, results) {
      switch result {
      case .answer(let answer): item.resume(.success(answer))
      case .failed(let error): item.resume(.failure(error))
      case .busy: break
      }
    }
  }
}
