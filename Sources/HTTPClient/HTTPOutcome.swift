/// How one request ended. Every request ends exactly once, in exactly one of these ways.
package enum HTTPOutcome: Sendable, Equatable {
  /// The server answered; any status is an answer.
  case response(HTTPResponse)
  /// The server can't have acted on it: sending it again is safe.
  case neverSent(NeverSentCause)
  /// The server may or may not have acted on it.
  case unknown(UnknownCause)
}

package struct HTTPResponse: Sendable, Equatable {
  package let status: Int
  /// At most `responseBodyLimit` bytes; the rest was read and dropped.
  package let body: [UInt8]

  package init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}

package enum NeverSentCause: Sendable, Hashable {
  /// The caller's lease ran out before the request was handed over.
  case leaseExpired
  /// Its time ran out in the queue while connections were busy.
  case deadline
  /// Its time ran out, or it was given up, because no connection could be made; `code` is libcurl's last result.
  case noConnection(code: Int)
  /// The queue of the pool is full.
  case queueFull
  /// A header or path can't be put on the wire.
  case invalidRequest
  /// The client or the pool is stopping.
  case stopped
}

package enum UnknownCause: Sendable, Hashable {
  /// No answer within the request's time.
  case deadline
  /// The connection gave no answer at all for too long and was dropped.
  case silence
  /// The connection ended while the request was under way; `code` is libcurl's result.
  case connectionLost(code: Int)
  /// The server reset this stream with something other than REFUSED_STREAM.
  case streamReset
  /// The client stopped while the request was under way.
  case stopped
}
