/// What one connection has shown so far about who is using it. Owned by the connection, so by one worker thread.
struct ConnectionCredential {
  private struct Use {
    let token: String
    /// When this token was first seen here, seconds since the epoch.
    let since: Int64
  }

  /// The key of the first push: team and kind of key are bound to it for as long as the connection lives.
  private var first: ProviderKey?
  /// The token in use, per key: two related keys may alternate, and each may be renewed at its own pace.
  private var uses: [String: Use] = [:]

  /// Tokens taken into use so far, and what tells the last of them apart.
  private(set) var tokensUsed = 0
  private(set) var newestToken = 0

  /// `nil` when the token may be used on this connection now.
  mutating func admit(
    _ text: String, _ token: ProviderToken, now: Int64, updateInterval: Int64
  ) -> Reason? {
    if let first {
      guard first.teamID == token.key.teamID else { return .invalidProviderToken }
      guard token.key.isRelated(to: first) else { return .unrelatedKeyIDInToken }
    }
    if let use = uses[token.key.keyID], use.token != text {
      guard now - use.since >= updateInterval else { return .tooManyProviderTokenUpdates }
      take(text, of: token.key, since: now)
    } else if uses[token.key.keyID] == nil {
      take(text, of: token.key, since: now)
    }
    if first == nil { first = token.key }
    return nil
  }

  private mutating func take(_ text: String, of key: ProviderKey, since now: Int64) {
    uses[key.keyID] = Use(token: text, since: now)
    tokensUsed += 1
    newestToken = text.hashValue
  }
}
