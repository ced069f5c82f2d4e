import HTTPClient

/// What happens to connections to APNs, for logs and metrics. `connection` is a number that never comes twice.
package enum APNsEvent: Sendable {
  case connecting(pool: String, connection: UInt32)
  case ready(pool: String, connection: UInt32, after: Duration)
  case connectFailed(pool: String, connection: UInt32, code: Int, text: String, retryAfter: Duration)
  /// Takes no new work; `cause` is one word, such as `goaway` or `silence`.
  case draining(pool: String, connection: UInt32, cause: String)
  case closed(pool: String, connection: UInt32, answers: Int)

  init(_ event: HTTP2Event) {
    switch event {
    case .connecting(let pool, let connection): self = .connecting(pool: pool, connection: connection)
    case .ready(let pool, let connection, let after): self = .ready(pool: pool, connection: connection, after: after)
    case .connectFailed(let pool, let connection, let code, let text, let wait):
      self = .connectFailed(pool: pool, connection: connection, code: code, text: text, retryAfter: wait)
    case .draining(let pool, let connection, let cause):
      self = .draining(pool: pool, connection: connection, cause: Self.word(cause))
    case .closed(let pool, let connection, let answers):
      self = .closed(pool: pool, connection: connection, answers: answers)
    }
  }

  private static func word(_ cause: DrainCause) -> String {
    switch cause {
    case .goAway: "goaway"
    case .refused: "refused"
    case .silence: "silence"
    case .heldBack: "held-back"
    case .lost: "lost"
    case .spoilt: "spoilt"
    case .credential: "credential"
    case .closing: "closing"
    }
  }
}
