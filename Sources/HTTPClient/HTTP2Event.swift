/// What happens to connections, for logs and metrics. `connection` is a number that never comes twice.
package enum HTTP2Event: Sendable {
  case connecting(pool: String, connection: UInt32)
  /// The first answer came; `after` includes name look-up, TLS and the warm-up request.
  case ready(pool: String, connection: UInt32, after: Duration)
  case connectFailed(pool: String, connection: UInt32, code: Int, String, retryAfter: Duration)
  /// Takes no new work any more; requests in flight may still end.
  case draining(pool: String, connection: UInt32, DrainCause)
  case closed(pool: String, connection: UInt32, answers: Int)
}

package enum DrainCause: Sendable, Hashable {
  /// The server announced the end.
  case goAway
  /// The server refused streams.
  case refused
  /// Requests in flight and no answer for too long.
  case silence
  /// libcurl held requests back for too long.
  case heldBack
  /// The connection broke; libcurl's result code.
  case lost(code: Int)
  /// An answer said that this connection is spoilt.
  case spoilt
  /// The credential changed, and this connection took its present one too recently to change it.
  case credential
  case closing
}
