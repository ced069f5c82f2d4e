internal import KitsCore

/// How many records of all its devices an app may send to this node (429), in one count for all routes that take them.
struct EventRate: Sendable {
  private let apps: RateBuckets<AppNumber>?

  init(_ limits: RateLimits) {
    apps = limits.events.map { RateBuckets($0) }
  }

  func admit(_ count: Int, of app: AppNumber) throws(Problem) {
    guard let wait = apps?.take(app, count: count) else { return }
    throw .rateLimited("The devices of this app have sent too many records. Wait as long as Retry-After says.", wait)
  }
}
