/// One waiting request. `@unchecked Sendable`: the mutable fields are only touched under the batcher's lock, and
/// `resume` is called once, by whoever took the item out of the queue or settled its batch.
final class BatchItem<Request: Sendable, Answer: Sendable>: @unchecked Sendable {
  typealias Instant = ContinuousClock.Instant

  let request: Request
  let keys: [BatchKey]
  let tenant: Int64
  let bytes: Int
  let deadline: Instant
  private var continuation: CheckedContinuation<Result<Answer, PostgresError>, Never>?
  /// Cancelled before it was queued.
  var isCancelled = false
  /// How often it was answered `busy`; it waits longer each time.
  var busyCount = 0

  init(_ request: Request, keys: [BatchKey], tenant: Int64, bytes: Int, deadline: Instant) {
    self.request = request
    self.keys = keys
    self.tenant = tenant
    self.bytes = bytes
    self.deadline = deadline
  }

  func wait(with continuation: CheckedContinuation<Result<Answer, PostgresError>, Never>) {
    self.continuation = continuation
  }

  func resume(_ result: Result<Answer, PostgresError>) {
    let continuation = continuation.take()
    continuation?.resume(returning: result)
  }
}
