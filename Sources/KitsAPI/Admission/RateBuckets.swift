internal import HTTPServer

/// Who has sent how much lately, in this node's memory. A bucket is one number: the time at which it will be full again
/// (GCRA). So a request costs one look-up, and a bucket that is full needs no memory.
final class RateBuckets<Key: Hashable & Sendable>: Sendable {
  typealias Instant = ContinuousClock.Instant

  private struct State: Sendable {
    var fullAgain: [Key: Instant] = [:]
    /// When the full buckets were last taken out.
    var swept: Instant
  }

  private let interval: Duration
  /// How far `fullAgain` may lie ahead for one more request.
  private let tolerance: Duration
  private let mostBuckets: Int
  private let state: Guarded<State>

  init(_ limit: RateLimit, mostBuckets: Int = 100_000, now: Instant = .now) {
    interval = .seconds(1) / limit.perSecond
    tolerance = interval * (limit.burst - 1)
    self.mostBuckets = mostBuckets
    state = Guarded(State(swept: now))
  }

  /// Nil takes the request; otherwise how long to wait until one would be taken. A refused request costs nothing.
  ///
  /// - Parameter count: what it counts for. It is taken whole when there is room for one, so that the bucket may be in
  ///   debt after it.
  func take(_ key: Key, count: Int = 1, now: Instant = .now) -> Duration? {
    state.withLock { state in
      let full = max(state.fullAgain[key] ?? now, now)
      let wait = (full - now) - tolerance
      guard wait <= .zero else { return wait }
      if state.fullAgain[key] == nil { makeRoom(&state, now) }
      // With no room even so the request is taken and not counted: many credentials, none of them too fast.
      if state.fullAgain[key] != nil || state.fullAgain.count < mostBuckets {
        state.fullAgain[key] = full + interval * count
      }
      return nil
    }
  }

  /// At most once per interval of the limit, so that a full table isn't gone through for every request.
  private func makeRoom(_ state: inout State, _ now: Instant) {
    guard state.fullAgain.count >= mostBuckets, now - state.swept >= max(interval, .milliseconds(100)) else { return }
    state.swept = now
    state.fullAgain = state.fullAgain.filter { $0.value > now }
  }
}
