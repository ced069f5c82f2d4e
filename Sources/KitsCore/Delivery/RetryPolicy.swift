/// When a delivery that failed in passing is tried again.
package struct RetryPolicy: Sendable, Equatable {
  /// APNs, "Handling notification responses": 5xx may be retried after 15 minutes.
  package var serverFaultSeconds: Double = 900
  /// 429 TooManyRequests is about one device; a minute is enough.
  package var throttledSeconds: Double = 60
  /// We could not reach the service at all: it was never sent.
  package var unreachableSeconds: Double = 2
  package var longestSeconds: Double = 3_600
  /// What waits for the end of a pause is out of the way until then; longer than any message lives.
  package static let parkedMilliseconds: Int64 = 366 * 86_400_000

  package init() {}

  package enum Cause: Sendable, Equatable {
    case serverFault, throttled, unreachable
  }

  /// Doubles with each attempt up to the longest, and is spread by ±20 %: `jitter` is in 0..<1.
  package func delaySeconds(after attempts: Int32, cause: Cause, jitter: Double) -> Double {
    let base =
      switch cause {
      case .serverFault: serverFaultSeconds
      case .throttled: throttledSeconds
      case .unreachable: unreachableSeconds
      }
    var delay = base
    for _ in 1..<max(1, min(attempts, 16)) { delay = min(delay * 2, max(longestSeconds, base)) }
    return delay * (0.8 + 0.4 * jitter)
  }
}
