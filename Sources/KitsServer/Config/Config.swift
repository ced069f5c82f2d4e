internal import KitsAPI

/// Everything the environment decides, parsed once at start.
struct Config: Sendable {
  struct Database: Sendable {
    let url: Secret<String>
    let connections: Int
  }

  struct API: Sendable {
    let listen: SocketAddress
    let publicURL: WebURL
  }

  struct Admin: Sendable {
    let listen: SocketAddress
  }

  struct APNs: Sendable {
    let productionURL: WebURL
    let sandboxURL: WebURL
    /// A file of certificates that were all sound when the configuration was parsed.
    let trustAnchorsFile: String?
    let pins: [HostPins]
    let loopThreads: Int
  }

  struct Delivery: Sendable {
    /// How long a process that says nothing keeps its work.
    let leaseSeconds: Int
    /// Until the second attempt after a fault of the push service.
    let retrySeconds: Int
  }

  struct Webhooks: Sendable {
    /// Until the second attempt.
    let retrySeconds: Int
    /// A file of certificates that were all sound when the configuration was parsed.
    let trustAnchorsFile: String?
    /// Development only.
    let allowsPrivate: Bool
  }

  let database: Database
  let api: API
  let admin: Admin
  let masterKeys: MasterKeys
  let apns: APNs
  let delivery: Delivery
  let webhooks: Webhooks
  /// What one credential may send to this process.
  let rates: RateLimits
  let logLevel: LogLevel
  let retentionDays: Int
  let auditRetentionDays: Int
  let drain: Duration

  /// Parses what `kits serve` needs.
  /// - Parameter readFile: the content of a file of at most so many bytes, nil when there is none; injected so that
  ///   parsing itself touches nothing.
  static func parse(
    _ environment: [String: String], readFile: (String, Int) -> [UInt8]? = { SmallFile.read($0, limit: $1) }
  ) throws(ConfigError) -> Config {
    var reader = ConfigReader(environment)
    let database = Database.read(&reader)
    let masterKeys = MasterKeys.read(&reader)
    let admin = Admin.read(&reader)
    let api = API.read(&reader, admin: admin)
    let apns = APNs.read(&reader, readFile: readFile)
    let delivery = Delivery.read(&reader)
    let webhooks = Webhooks.read(&reader, readFile: readFile)
    let rates = RateLimits.read(&reader)
    let logLevel = readLogLevel(&reader)
    let days = reader.integer(
      .retentionDays, in: ConfigLimits.retentionDays, default: ConfigDefaults.retentionDays)
    let auditDays = reader.integer(
      .auditRetentionDays, in: ConfigLimits.auditRetentionDays, default: ConfigDefaults.auditRetentionDays)
    let drain = reader.integer(.drainSeconds, in: ConfigLimits.drainSeconds, default: ConfigDefaults.drainSeconds)
    reader.reportUnknown()
    guard reader.problems.isEmpty, let database, let masterKeys, let api, let admin, let apns else {
      throw ConfigError(problems: reader.problems)
    }
    return Config(
      database: database, api: api, admin: admin, masterKeys: masterKeys, apns: apns, delivery: delivery,
      webhooks: webhooks, rates: rates, logLevel: logLevel, retentionDays: days, auditRetentionDays: auditDays,
      drain: .seconds(drain))
  }

  /// Parses what a command needs that only talks to the database, so that `kits migrate` runs before keys exist.
  static func parseDatabase(_ environment: [String: String]) throws(ConfigError) -> Database {
    var reader = ConfigReader(environment)
    let database = Database.read(&reader)
    reader.reportUnknown()
    guard reader.problems.isEmpty, let database else { throw ConfigError(problems: reader.problems) }
    return database
  }

  /// Parses what an operator command needs that also seals or derives secrets.
  static func parseOperator(_ environment: [String: String]) throws(ConfigError) -> (Database, MasterKeys) {
    var reader = ConfigReader(environment)
    let database = Database.read(&reader)
    let masterKeys = MasterKeys.read(&reader)
    reader.reportUnknown()
    guard reader.problems.isEmpty, let database, let masterKeys else { throw ConfigError(problems: reader.problems) }
    return (database, masterKeys)
  }

  private static func readLogLevel(_ reader: inout ConfigReader) -> LogLevel {
    reader.optional(.logLevel) { (text) throws(Malformed) in
      guard let level = LogLevel(name: text) else {
        throw Malformed("must be one of \(LogLevel.names.joined(separator: ", "))")
      }
      return level
    } ?? ConfigDefaults.logLevel
  }
}
