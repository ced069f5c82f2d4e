/// How many requests of one credential are taken: so many a second in the long run, so many at once after a quiet time.
package struct RateLimit: Sendable, Equatable {
  package let perSecond: Int
  package let burst: Int

  /// Both at least 1.
  package init(perSecond: Int, burst: Int) {
    self.perSecond = perSecond
    self.burst = burst
  }
}

/// The limits of each kind of credential, in one node; nil is none.
package struct RateLimits: Sendable, Equatable {
  package let serverKey: RateLimit?
  /// Of one device token's installation.
  package let installation: RateLimit?
  /// Of all registrations and configurations under one public key: every device of an app shares it.
  package let publicKey: RateLimit?
  /// Of the events, receipts and activity of all devices of one app; each counts, not each request.
  package let events: RateLimit?

  package init(
    serverKey: RateLimit? = nil, installation: RateLimit? = nil, publicKey: RateLimit? = nil, events: RateLimit? = nil
  ) {
    self.serverKey = serverKey
    self.installation = installation
    self.publicKey = publicKey
    self.events = events
  }

  package static let none = RateLimits()
}
