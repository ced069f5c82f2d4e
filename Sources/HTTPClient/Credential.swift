/// What a connection shows in each of its requests, such as a provider token.
struct Credential: Sendable, Equatable {
  /// Its place in the order in which the pool's credentials were offered.
  let number: UInt64
  let value: String
}

/// The credential of one connection. Confined to the connection's loop thread.
struct CredentialUse {
  private(set) var current: Credential?
  private var since: UInt64 = 0

  /// Whether requests may be sent with `offered` in force: false when the present one is too young to be changed, so
  /// that another connection has to take over.
  mutating func adopt(_ offered: Credential?, now: UInt64, hold: UInt64) -> Bool {
    guard let offered, offered.number != current?.number else { return true }
    guard current == nil || now >= since + hold else { return false }
    current = offered
    since = now
    return true
  }
}
