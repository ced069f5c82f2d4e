/// One `send`: its requests and what has become of them. One continuation serves them all.
///
/// Loop threads report ends from several threads at once; the last one resumes the caller.
final class Batch: Sendable {
  let source: any RequestSource
  let count: Int
  /// CLOCK_BOOTTIME: from here on nothing of this batch is handed over.
  let handOverBefore: UInt64
  /// CLOCK_MONOTONIC: from here on requests end as they stand.
  let endsAt: UInt64
  private let state: Locked<State>

  private struct State {
    var outcomes: [HTTPOutcome?]
    var remaining: Int
    var continuation: CheckedContinuation<[HTTPOutcome], Never>?
  }

  init(
    _ source: any RequestSource, handOverBefore: UInt64, endsAt: UInt64,
    continuation: CheckedContinuation<[HTTPOutcome], Never>
  ) {
    self.source = source
    count = source.count
    self.handOverBefore = handOverBefore
    self.endsAt = endsAt
    state = Locked(State(outcomes: Array(repeating: nil, count: count), remaining: count, continuation: continuation))
  }

  /// Records the end of a request. A second end of the same request is a fault of this target and is ignored.
  func end(_ index: Int, _ outcome: HTTPOutcome) {
    let finished: (CheckedContinuation<[HTTPOutcome], Never>, [HTTPOutcome])? = state.withLock { state in
      guard state.outcomes[index] == nil else {
        assertionFailure("request \(index) ended twice")
        return nil
      }
      state.outcomes[index] = outcome
      state.remaining -= 1
      guard state.remaining == 0, let continuation = state.continuation.take() else { return nil }
      return (continuation, state.outcomes.compactMap { $0 })
    }
    if let (continuation, outcomes) = finished { continuation.resume(returning: outcomes) }
  }
}

/// One request of a batch, on its way between queue and connection.
struct Work: Sendable {
  let batch: Batch
  let index: Int

  func end(_ outcome: HTTPOutcome) { batch.end(index, outcome) }
}
