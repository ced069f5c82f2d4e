/// When an endpoint is asked again that didn't take an event. Pure.
package struct WebhookRetryPolicy: Sendable, Equatable {
  package var firstSeconds: Double = 10
  /// Over three days that makes some thirty attempts.
  package var longestSeconds: Double = 14_400
  /// The longest wait that an endpoint may ask for with `Retry-After`.
  package static let longestWish: Double = 3_600

  package init(firstSeconds: Double = 10) {
    self.firstSeconds = firstSeconds
  }

  /// Doubles with each attempt up to the longest, and is spread by ±20 %: `jitter` is in 0..<1.
  ///
  /// - Parameters:
  ///   - attempts: how many have failed, this one included.
  ///   - wish: what the endpoint asked for, in seconds.
  package func delayMilliseconds(after attempts: Int32, wish: Double?, jitter: Double) -> Int64 {
    var delay = firstSeconds
    for _ in 1..<max(1, min(attempts, 32)) { delay = min(delay * 2, max(longestSeconds, firstSeconds)) }
    delay = max(delay, min(wish ?? 0, Self.longestWish))
    return Int64(delay * (0.8 + 0.4 * jitter) * 1_000)
  }
}
