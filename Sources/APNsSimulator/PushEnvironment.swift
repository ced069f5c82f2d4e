/// Which of the two APNs environments a connection or a key belongs to.
enum PushEnvironment: String, Sendable {
  case production, sandbox

  /// The environment named by the host the client believes it talks to; `nil` for localhost and addresses.
  init?(authority: String) {
    if authority.hasPrefix("api.sandbox.push.apple.com") || authority.hasPrefix("api.development.push.apple.com") {
      self = .sandbox
    } else if authority.hasPrefix("api.push.apple.com") {
      self = .production
    } else {
      return nil
    }
  }
}
