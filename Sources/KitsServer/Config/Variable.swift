/// Every environment variable Kits reads, in the order in which documentation lists them.
///
/// This table is the only place that knows a variable's name: the parser reads through it and the help text is
/// printed from it, so neither can drift from the other.
enum Variable: String, CaseIterable, Sendable {
  case databaseURL = "KITS_DATABASE_URL"
  case databaseConnections = "KITS_DATABASE_CONNECTIONS"
  case listen = "KITS_LISTEN"
  case adminListen = "KITS_ADMIN_LISTEN"
  case publicURL = "KITS_PUBLIC_URL"
  case masterKeys = "KITS_MASTER_KEYS"
  case masterKeyID = "KITS_MASTER_KEY_ID"
  case apnsProductionURL = "KITS_APNS_PRODUCTION_URL"
  case apnsSandboxURL = "KITS_APNS_SANDBOX_URL"
  case apnsCA = "KITS_APNS_CA"
  case apnsPins = "KITS_APNS_PINS"
  case apnsLoopThreads = "KITS_APNS_LOOP_THREADS"
  case leaseSeconds = "KITS_LEASE_SECONDS"
  case retrySeconds = "KITS_RETRY_SECONDS"
  case webhookRetrySeconds = "KITS_WEBHOOK_RETRY_SECONDS"
  case webhookCA = "KITS_WEBHOOK_CA"
  case webhookAllowPrivate = "KITS_WEBHOOK_ALLOW_PRIVATE"
  case rateServerKey = "KITS_RATE_SERVER_KEY"
  case rateInstallation = "KITS_RATE_INSTALLATION"
  case ratePublicKey = "KITS_RATE_PUBLIC_KEY"
  case rateEvents = "KITS_RATE_EVENTS"
  case logLevel = "KITS_LOG_LEVEL"
  case retentionDays = "KITS_RETENTION_DAYS"
  case auditRetentionDays = "KITS_AUDIT_RETENTION_DAYS"
  case drainSeconds = "KITS_DRAIN_SECONDS"

  var name: String { rawValue }

  /// Variables that belong to a client command, the demo or the tests; the server doesn't read them but must not
  /// complain when they are set in the same shell.
  static let foreignNames: Set<String> = ["KITS_SERVER_KEY"]
  static let foreignPrefixes = ["KITS_DEMO_", "KITS_TEST_"]

  static func isForeign(_ name: String) -> Bool {
    foreignNames.contains(name) || foreignPrefixes.contains { name.hasPrefix($0) }
  }
}
