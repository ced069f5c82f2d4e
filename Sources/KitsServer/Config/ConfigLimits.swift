internal import KitsAPI

/// Bounds of the numeric variables.
enum ConfigLimits {
  static let databaseConnections = 1...500
  static let apnsLoopThreads = 1...64
  /// Below, a slow statement looks like a dead process; above, a dead one holds up its work.
  static let leaseSeconds = 5...600
  static let retrySeconds = 1...3600
  static let webhookRetrySeconds = 1...3600
  static let requestsPerSecond = 1...1_000_000
  static let requestBurst = 1...1_000_000
  static let retentionDays = 1...3650
  static let auditRetentionDays = 30...3650
  static let drainSeconds = 1...600
  static let masterKeyBytes = 32
  static let masterKeyIDLength = 1...8
  /// Old keys are kept for verification only; more than this is a forgotten clean-up.
  static let masterKeys = 1...16
  static let pinnedHosts = 1...32
  static let pinBytes = 32
  /// One variable's bytes; the kernel allows 128 KB.
  static let valueBytes = 16_384
}

/// What applies when a variable is absent.
enum ConfigDefaults {
  static let databaseConnections = 8
  static let listen = SocketAddress(host: "127.0.0.1", port: 8080, family: .ipv4)
  static let adminListen = SocketAddress(host: "127.0.0.1", port: 9090, family: .ipv4)
  static let apnsProduction = WebURL(scheme: .https, host: "api.push.apple.com", port: nil, path: "")
  static let apnsSandbox = WebURL(scheme: .https, host: "api.sandbox.push.apple.com", port: nil, path: "")
  static let apnsLoopThreads = 2
  static let leaseSeconds = 60
  /// APNs asks for 15 minutes after a 5xx.
  static let retrySeconds = 900
  static let webhookRetrySeconds = 10
  static let rates = RateLimits(
    serverKey: RateLimit(perSecond: 2_000, burst: 4_000), installation: RateLimit(perSecond: 20, burst: 60),
    events: RateLimit(perSecond: 20_000, burst: 40_000))
  static let logLevel = LogLevel.info
  static let retentionDays = 30
  static let auditRetentionDays = 400
  static let drainSeconds = 25
}

extension ClosedRange<Int> {
  var words: String { "\(lowerBound) to \(upperBound)" }
}
