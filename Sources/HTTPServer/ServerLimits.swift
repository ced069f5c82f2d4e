/// Every bound of the server in one place.
package struct ServerLimits: Sendable {
  package static let defaultBodyBytes = 256 * 1024

  /// Longer targets are answered 414.
  package var targetBytes = 4 * 1024
  /// Request line and all header fields together; more is 431.
  package var headBytes = 16 * 1024
  package var headerFields = 100
  /// Bodies held in memory at one time, over all connections; more is 503.
  package var bodyBytesInFlight = 64 * 1024 * 1024
  /// Handlers running at one time; more is 503.
  package var concurrentRequests = 4_096
  package var connections = 10_000
  /// Off (nil) by default: whole carriers and proxies share one address.
  package var connectionsPerAddress: Int?
  /// From the first byte of a request to the end of its head.
  package var headDeadline: Duration = .seconds(10)
  /// From the end of the head to the end of the body.
  package var bodyDeadline: Duration = .seconds(30)
  /// For the response, plus what its size takes at `slowestReader`.
  package var writeDeadline: Duration = .seconds(30)
  /// Bytes a second below which a reader counts as stalled once `writeDeadline` is used up.
  package var slowestReader = 16 * 1024
  /// A connection without a byte of a next request.
  package var idleDeadline: Duration = .seconds(75)
  /// A refused request's body is read and thrown away up to this size, so that the connection can go on.
  package var discardedBodyBytes = 64 * 1024

  package init() {}

  /// The library's memory per connection: above our own bounds, so that our answer comes before the library's.
  var poolBytes: Int { max(32 * 1024, 2 * headBytes) }
}
