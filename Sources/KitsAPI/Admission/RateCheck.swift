internal import HTTPServer
internal import KitsCore

/// Refuses a credential that sends too much (429), before its body is read. Counted per node: behind several nodes a
/// credential gets as much of each.
struct RateCheck: Sendable {
  struct Installation: Hashable, Sendable {
    let app: AppNumber
    let number: InstallationNumber
  }

  private let gate: Gate
  private let serverKeys: RateBuckets<[UInt8]>?
  private let installations: RateBuckets<Installation>?
  private let publicKeys: RateBuckets<String>?

  init(_ limits: RateLimits, gate: Gate) {
    self.gate = gate
    serverKeys = limits.serverKey.map { RateBuckets($0) }
    installations = limits.installation.map { RateBuckets($0) }
    publicKeys = limits.publicKey.map { RateBuckets($0) }
  }

  /// By the credentials that are genuine as far as can be told without the database.
  func admit(_ head: RequestHead) throws(Problem) {
    let caller = try? gate.caller(head)
    if case .server(let key)? = caller, let wait = serverKeys?.take(key.hash) { throw Self.limited(wait) }
    if case .device(let token)? = caller, let installations,
      let wait = installations.take(Installation(app: token.app, number: token.installation))
    {
      throw Self.limited(wait)
    }
    if let publicKeys, let key = try? gate.publicKey(head), let wait = publicKeys.take(key.text) {
      throw Self.limited(wait)
    }
  }

  private static func limited(_ wait: Duration) -> Problem {
    .rateLimited("This credential has sent too many requests. Wait as long as Retry-After says.", wait)
  }
}

extension Problem {
  static func rateLimited(_ detail: String, _ wait: Duration) -> Problem {
    var problem = Problem(.rateLimited, detail)
    problem.retryAfterSeconds = wait.wholeSeconds
    return problem
  }
}

extension Duration {
  /// Rounded up, at least 1.
  fileprivate var wholeSeconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(seconds) + (attoseconds > 0 ? 1 : 0))
  }
}
