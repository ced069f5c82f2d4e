/// The requests of one batch, written on demand straight into a connection's buffers.
///
/// Both functions run on a loop thread: they must be quick and must not block.
package protocol RequestSource: Sendable {
  var count: Int { get }
  /// Writes request `index`; called again when the request has to move to another connection.
  func write(_ index: Int, to writer: RequestWriter)
  /// What the answer to `index` says about the connection it came on.
  func verdict(_ index: Int, _ response: HTTPResponse) -> ConnectionVerdict
}

/// What an answer says about its connection.
package enum ConnectionVerdict: Sendable {
  /// All is well; the window may widen.
  case widen
  /// Keep the connection, don't widen.
  case hold
  /// The connection is spoilt: no new work on it, a new one takes over.
  case replace
}
