/// All limits of the HTTP/2 client, each named.
package struct HTTP2Configuration: Sendable {
  /// Threads that run libcurl. About 25,000 requests per second and thread on one core.
  package var loopThreads = 2
  /// Connections of one pool at most; growth goes by backlog.
  package var connectionsPerPool = 4
  /// Requests in flight on one connection. libcurl walks every stream at every event, so wider is slower.
  package var window = 100
  /// Streams above the window that small batches may use, so that they never wait for bulk.
  package var urgentReserve = 8
  /// A batch of at most this many requests is small and goes ahead.
  package var urgentBatchLimit = 8
  /// Requests waiting in one pool at most.
  package var queueLimit = 50_000
  /// From `send` to the end, for each request.
  package var requestDeadline: Duration = .seconds(30)
  package var connectTimeout: Duration = .seconds(10)
  /// Requests in flight and no answer for this long: the connection is dropped.
  package var silence: Duration = .seconds(10)
  /// libcurl holds requests back and no answer comes for this long: they move. (A GOAWAY can pass unseen, and then
  /// libcurl would wait with them for the last answer on the old connection.)
  package var heldBack: Duration = .seconds(2)
  /// Least time between two new connections of one pool.
  package var connectInterval: Duration = .seconds(1)
  /// The pause after failed connects doubles from `connectInterval` to this.
  package var connectBackoffLimit: Duration = .seconds(60)
  /// Least time between two credentials on one connection; when the next one comes sooner, another connection takes
  /// over. (APNs takes a new token at most every 20 minutes, counted on the connection.)
  package var credentialHold: Duration = .seconds(21 * 60)
  /// How long `stop` lets requests in flight end by themselves.
  package var stopGrace: Duration = .seconds(5)
  package var responseBodyLimit = 4_096
  package var tls = TLSOptions()

  package init() {}
}
