internal import KitsCore

/// How many records of all its devices an app may send to this node (429), in one count for all routes that take them.
struct EventRate: Sendable {
  private let apps: RateBuckets<AppNumber>?
  /// Of devices whose extension reports, which has no credential that could be counted before.
  private let extensions: RateBuckets<RateCheck.Installation>?

  init(_ limits: RateLimits) {
    apps = limits.events.map { RateBuckets($0) }
    extensions = limits.installation.map { RateBuckets($0) }
  }

  func admitReceipt(of delivery: DeliveryID) throws(Problem) {
    let device = RateCheck.Installation(app: delivery.address.app, number: delivery.installation)
    if let wait = extensions?.take(device) {
      throw .rateLimited("This device has sent too many receipts. Wait as long as Retry-After says.", wait)
    }
    try admit(1, of: delivery.address.app)
  }

  func admit(_ count: Int, of app: AppNumber) throws(Problem) {
    guard let wait = apps?.take(app, count: count) else { return }
    throw .rateLimited("The devices of this app have sent too many records. Wait as long as Retry-After says.", wait)
  }
}
