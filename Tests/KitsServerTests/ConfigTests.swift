import KitsAPI
import Testing

@testable import KitsServer

@Suite("Configuration")
struct ConfigTests {
  static let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
  static let otherKey = "HwABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4="
  static let minimal = [
    "KITS_DATABASE_URL": "postgresql://kits:hunter2@localhost:5432/kits", "KITS_MASTER_KEYS": "k1:\(key)",
  ]

  static func parse(_ changes: [String: String]) throws -> Config {
    try Config.parse(minimal.merging(changes) { $1 }, readFile: { path, _ in files[path].map { Array($0.utf8) } })
  }

  /// Made once by the `openssl` program.
  static let certificate = Certificates.selfSigned
  static let files: [String: String] = [
    "/etc/ca.pem": "# Ours\n\(certificate)\n\(certificate)", "/empty.pem": "", "/text.pem": "hello\n",
    "/cut.pem": certificate + String(certificate.dropLast(40)), "/cut-start.pem": String(certificate.dropFirst(30)),
    "/short.pem": "\(certificate)-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    "/letter.pem": certificate.replacing("\nMI", with: "\nM!", maxReplacements: 1),
    "/key.pem": certificate + "-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----\n",
    "/list.pem": certificate + "-----BEGIN X509 CRL-----\nMC4=\n-----END X509 CRL-----\n",
    "/large.pem": certificate + String(repeating: "#\n", count: 600_000), "/der": "0\u{3}abc",
  ]

  static func problems(_ changes: [String: String]) -> [String] {
    do {
      _ = try parse(changes)
      return []
    } catch let error as ConfigError {
      return error.problems.map { "\($0.variable): \($0.problem)" }
    } catch {
      return ["\(error)"]
    }
  }

  @Test("The required variables alone give the documented defaults")
  func defaults() throws {
    let config = try Self.parse([:])
    #expect(config.database.url.reveal() == "postgresql://kits:hunter2@localhost:5432/kits")
    #expect(config.database.connections == 8)
    #expect(config.api.listen.description == "127.0.0.1:8080")
    #expect(config.admin.listen.description == "127.0.0.1:9090")
    #expect(config.api.publicURL.description == "http://127.0.0.1:8080")
    #expect(config.masterKeys.accepted.map(\.id) == ["k1"])
    #expect(config.masterKeys.accepted.first?.bytes.reveal() == Array(0..<32))
    #expect(config.masterKeys.mintingID == "k1")
    #expect(config.apns.productionURL.description == "https://api.push.apple.com")
    #expect(config.apns.sandboxURL.description == "https://api.sandbox.push.apple.com")
    #expect(config.apns.trustAnchorsFile == nil)
    #expect(config.apns.pins.isEmpty)
    #expect(config.apns.loopThreads == 2)
    #expect(config.delivery.leaseSeconds == 60)
    #expect(config.delivery.retrySeconds == 900)
    #expect(config.logLevel == .info)
    #expect(config.retentionDays == 30)
    #expect(config.auditRetentionDays == 400)
    #expect(config.drain == .seconds(25))
    #expect(config.rates.serverKey == RateLimit(perSecond: 2_000, burst: 4_000))
    #expect(config.rates.installation == RateLimit(perSecond: 20, burst: 60))
    #expect(config.rates.publicKey == nil)
    #expect(config.rates.events == RateLimit(perSecond: 20_000, burst: 40_000))
  }

  @Test("Every variable takes effect")
  func everyVariable() throws {
    let config = try Self.parse([
      "KITS_LISTEN": "[::]:443", "KITS_ADMIN_LISTEN": "[::1]:9999", "KITS_PUBLIC_URL": "https://Push.Example.com/kits/",
      "KITS_MASTER_KEYS": "a:\(Self.key),b2:\(Self.otherKey)", "KITS_MASTER_KEY_ID": "b2",
      "KITS_APNS_PRODUCTION_URL": "https://localhost:2197", "KITS_APNS_SANDBOX_URL": "https://[::1]:2198/",
      "KITS_APNS_CA": "/etc/ca.pem",
      "KITS_APNS_PINS": "*.push.apple.com=sha256/\(Self.key),sha256/\(Self.otherKey)", "KITS_LOG_LEVEL": "warning",
      "KITS_DATABASE_CONNECTIONS": "500", "KITS_APNS_LOOP_THREADS": "64", "KITS_RETENTION_DAYS": "1",
      "KITS_AUDIT_RETENTION_DAYS": "30",
      "KITS_DRAIN_SECONDS": "600", "KITS_LEASE_SECONDS": "5", "KITS_RETRY_SECONDS": "3600",
      "KITS_WEBHOOK_RETRY_SECONDS": "3600", "KITS_WEBHOOK_CA": "/etc/ca.pem", "KITS_WEBHOOK_ALLOW_PRIVATE": "on",
      "KITS_RATE_SERVER_KEY": "off", "KITS_RATE_INSTALLATION": "1:1", "KITS_RATE_PUBLIC_KEY": "1000000:1000000",
      "KITS_RATE_EVENTS": "5:7",
    ])
    #expect(config.api.listen == SocketAddress(host: "::", port: 443, family: .ipv6))
    #expect(config.admin.listen == SocketAddress(host: "::1", port: 9999, family: .ipv6))
    #expect(config.api.publicURL.description == "https://push.example.com/kits")
    #expect(config.masterKeys.accepted.map(\.id) == ["a", "b2"])
    #expect(config.masterKeys.mintingID == "b2")
    #expect(config.apns.productionURL.description == "https://localhost:2197")
    #expect(config.apns.sandboxURL.description == "https://[::1]:2198")
    #expect(config.apns.trustAnchorsFile == "/etc/ca.pem")
    #expect(config.apns.pins.map(\.mask) == ["*.push.apple.com"])
    #expect(config.apns.pins.first?.digests.count == 2)
    #expect(config.delivery.leaseSeconds == 5)
    #expect(config.delivery.retrySeconds == 3600)
    #expect(config.webhooks.retrySeconds == 3600 && config.webhooks.allowsPrivate)
    #expect(config.webhooks.trustAnchorsFile == "/etc/ca.pem")
    #expect(
      config.rates
        == RateLimits(
          serverKey: nil, installation: RateLimit(perSecond: 1, burst: 1),
          publicKey: RateLimit(perSecond: 1_000_000, burst: 1_000_000), events: RateLimit(perSecond: 5, burst: 7)))
    #expect(config.logLevel == .warning)
    #expect(config.database.connections == 500)
    #expect(config.apns.loopThreads == 64)
    #expect(config.retentionDays == 1)
    #expect(config.auditRetentionDays == 30)
    #expect(config.drain == .seconds(600))
  }

  @Test(
    "A right value at the edge is accepted",
    arguments: [
      ("KITS_DATABASE_URL", "postgres:///kits?host=/run/postgresql"),
      ("KITS_DATABASE_URL", "postgresql://[::1]/kits"),
      ("KITS_DATABASE_URL", "postgresql://a:1,b:65535/kits?target_session_attrs=read-write"),
      ("KITS_DATABASE_URL", "postgresql://u:p%40ss@h/kits"),
      ("KITS_DATABASE_CONNECTIONS", "1"), ("KITS_LISTEN", "127.0.0.1:65535"), ("KITS_LISTEN", "localhost:0"),
      ("KITS_ADMIN_LISTEN", "0.0.0.0:1"), ("KITS_PUBLIC_URL", "http://localhost:8080"),
      ("KITS_PUBLIC_URL", "http://[::1]:8080"), ("KITS_PUBLIC_URL", "HTTPS://x"),
      ("KITS_MASTER_KEY_ID", "k1"), ("KITS_APNS_LOOP_THREADS", "1"), ("KITS_RETENTION_DAYS", "3650"),
      ("KITS_AUDIT_RETENTION_DAYS", "3650"),
      ("KITS_DRAIN_SECONDS", "1"), ("KITS_LEASE_SECONDS", "600"), ("KITS_RETRY_SECONDS", "1"),
      ("KITS_WEBHOOK_RETRY_SECONDS", "1"), ("KITS_WEBHOOK_ALLOW_PRIVATE", "off"),
      ("KITS_LOG_LEVEL", "debug"), ("KITS_LOG_LEVEL", "error"),
      ("KITS_SERVER_KEY", "anything"), ("KITS_DEMO_PORT", "1"), ("KITS_TEST_X", ""), ("OTHER", "x"),
    ])
  func accepted(name: String, value: String) {
    #expect(Self.problems([name: value]) == [])
  }

  @Test(
    "A wrong value is named with its reason",
    arguments: [
      ("KITS_DATABASE_URL", "", "is empty; remove it or give it a value"),
      ("KITS_DATABASE_URL", "mysql://h/db", "must start with postgresql://"),
      ("KITS_DATABASE_URL", "postgresql://h", "names no database"),
      ("KITS_DATABASE_URL", "postgresql://h/", "names no database"),
      ("KITS_DATABASE_URL", "postgresql:///kits", "names no host"),
      ("KITS_DATABASE_URL", "postgresql://h:70000/kits", "has a port above 65535"),
      ("KITS_DATABASE_URL", "postgresql://h:x/kits", "has a port that is no number"),
      ("KITS_DATABASE_URL", "postgresql://h/ki ts", "contains a space or a control character"),
      ("KITS_DATABASE_CONNECTIONS", "0", "must be 1 to 500"),
      ("KITS_DATABASE_CONNECTIONS", "501", "must be 1 to 500"),
      ("KITS_DATABASE_CONNECTIONS", "99999999999999999999", "must be 1 to 500"),
      ("KITS_LEASE_SECONDS", "4", "must be 5 to 600"), ("KITS_LEASE_SECONDS", "601", "must be 5 to 600"),
      ("KITS_RETRY_SECONDS", "0", "must be 1 to 3600"), ("KITS_RETRY_SECONDS", "3601", "must be 1 to 3600"),
      ("KITS_WEBHOOK_RETRY_SECONDS", "0", "must be 1 to 3600"),
      ("KITS_WEBHOOK_ALLOW_PRIVATE", "yes", "must be on or off"),
      ("KITS_WEBHOOK_CA", "ca.pem", "must be an absolute path"),
      ("KITS_AUDIT_RETENTION_DAYS", "29", "must be 30 to 3650"),
      ("KITS_AUDIT_RETENTION_DAYS", "3651", "must be 30 to 3650"),
      ("KITS_DATABASE_CONNECTIONS", "-1", "is not a whole number"),
      ("KITS_DATABASE_CONNECTIONS", "+8", "is not a whole number"),
      ("KITS_DATABASE_CONNECTIONS", "8.0", "is not a whole number"),
      ("KITS_DATABASE_CONNECTIONS", "٨", "is not a whole number"),
      ("KITS_LISTEN", "127.0.0.1", "has no port"), ("KITS_LISTEN", "127.0.0.1:", "has a port that is no number"),
      ("KITS_LISTEN", "127.0.0.1:65536", "has a port above 65535"),
      ("KITS_LISTEN", "127.0.0.1:18446744073709551617", "has a port above 65535"),
      ("KITS_LISTEN", ":8080", "needs an IPv4 address, [IPv6] or localhost before the port"),
      ("KITS_LISTEN", "example.com:80", "needs an IPv4 address, [IPv6] or localhost before the port"),
      ("KITS_LISTEN", "::1:8080", "needs brackets around an IPv6 address"),
      ("KITS_LISTEN", "[::g]:8080", "has no valid IPv6 address between the brackets"),
      ("KITS_LISTEN", "127.0.0.1:9090", "is the same as the other listen address"),
      ("KITS_ADMIN_LISTEN", "1.2.3:80", "needs an IPv4 address, [IPv6] or localhost before the port"),
      ("KITS_PUBLIC_URL", "http://push.example.com", "must be https unless it is on loopback"),
      ("KITS_PUBLIC_URL", "ftp://x", "must start with https://"), ("KITS_PUBLIC_URL", "https://", "has no host"),
      ("KITS_PUBLIC_URL", "https://u:p@x", "must not contain a user name or password"),
      ("KITS_PUBLIC_URL", "https://x?a", "must not have a query or fragment"),
      ("KITS_PUBLIC_URL", "https://x:0", "must not have port 0"),
      ("KITS_PUBLIC_URL", "https://-x", "has a host that is no valid name"),
      ("KITS_PUBLIC_URL", "https://x y", "contains a space, a control character or a character outside ASCII"),
      ("KITS_MASTER_KEYS", key, "entry 1 is not id:base64"),
      ("KITS_MASTER_KEYS", "K1:\(key)", "entry 1 has an id that is not [a-z0-9]{1,8}"),
      ("KITS_MASTER_KEYS", "abcdefghi:\(key)", "entry 1 has an id that is not [a-z0-9]{1,8}"),
      ("KITS_MASTER_KEYS", "k1:AAEC", "entry 1 has 3 bytes instead of 32"),
      ("KITS_MASTER_KEYS", "k1:\(key.dropLast())", "entry 1 is not padded standard base64"),
      ("KITS_MASTER_KEYS", "k1:\(key),", "entry 2 is not id:base64"),
      ("KITS_MASTER_KEYS", "k1:\(key),k1:\(otherKey)", "names id k1 twice"),
      ("KITS_MASTER_KEYS", "k1:\(key),k2:\(key)", "has the same key under k1 and k2"),
      (
        "KITS_MASTER_KEYS", "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "entry 1 repeats one byte and is no random key"
      ),
      ("KITS_MASTER_KEY_ID", "k2", "is not an id of KITS_MASTER_KEYS (there: k1)"),
      ("KITS_MASTER_KEY_ID", "K1", "must be [a-z0-9]{1,8}"),
      ("KITS_APNS_PRODUCTION_URL", "http://localhost:1", "must be https"),
      ("KITS_APNS_SANDBOX_URL", "https://x/3", "must not have a path"),
      ("KITS_APNS_CA", "ca.pem", "must be an absolute path"),
      ("KITS_APNS_CA", "/none.pem", "names a file that can't be read or is larger than 1048576 bytes"),
      ("KITS_APNS_CA", "/empty.pem", "names a file that is empty"),
      ("KITS_APNS_CA", "/text.pem", "names a file that has no certificate"),
      ("KITS_APNS_CA", "/cut.pem", "names a file that has a certificate that is cut off or damaged (block 2)"),
      ("KITS_APNS_CA", "/cut-start.pem", "names a file that has something other than a certificate as block 1"),
      ("KITS_APNS_CA", "/short.pem", "names a file that has a certificate that is cut off or damaged (block 2)"),
      ("KITS_APNS_CA", "/letter.pem", "names a file that has a certificate that is cut off or damaged (block 1)"),
      ("KITS_APNS_CA", "/key.pem", "names a file that has a private key, which must not be there"),
      ("KITS_APNS_CA", "/list.pem", "names a file that has something other than a certificate as block 2"),
      ("KITS_APNS_CA", "/large.pem", "names a file that is larger than 1048576 bytes"),
      ("KITS_APNS_CA", "/der", "names a file that has a certificate that is cut off or damaged (block 1)"),
      ("KITS_APNS_PINS", "x", "has an entry without HOST="), ("KITS_APNS_PINS", "=sha256/\(key)", "has an empty host"),
      ("KITS_APNS_PINS", "a.*.com=sha256/\(key)", "has a host mask that is no valid name"),
      ("KITS_APNS_PINS", "h=\(key)", "has a pin for h without sha256/ in front"),
      ("KITS_APNS_PINS", "h=sha256/AAEC", "has a pin for h that is not base64 of 32 bytes"),
      ("KITS_APNS_PINS", "h=sha256/\(key)", "needs a backup pin for h"),
      ("KITS_APNS_PINS", "h=sha256/\(key),sha256/\(key)", "has the same pin twice for h"),
      ("KITS_APNS_LOOP_THREADS", "65", "must be 1 to 64"), ("KITS_RETENTION_DAYS", "0", "must be 1 to 3650"),
      ("KITS_DRAIN_SECONDS", "601", "must be 1 to 600"),
      ("KITS_RATE_SERVER_KEY", "2000", "must be off or two whole numbers with a colon between"),
      ("KITS_RATE_SERVER_KEY", "1:2:3", "must be off or two whole numbers with a colon between"),
      ("KITS_RATE_SERVER_KEY", ":5", "must be off or two whole numbers with a colon between"),
      ("KITS_RATE_INSTALLATION", "+1:5", "must be off or two whole numbers with a colon between"),
      ("KITS_RATE_INSTALLATION", "0:5", "must have 1 to 1000000 requests a second"),
      ("KITS_RATE_PUBLIC_KEY", "5:1000001", "must have 1 to 1000000 requests at once"),
      ("KITS_LOG_LEVEL", "INFO", "must be one of debug, info, notice, warning, error"),
      ("KITS_LISTNE", "x", "is not a variable of Kits; did you mean KITS_LISTEN?"),
      ("KITS_COMPLETELY_OTHER_THING", "x", "is not a variable of Kits"),
    ])
  func refused(name: String, value: String, reason: String) {
    #expect(Self.problems([name: value]) == ["\(name): \(reason)"])
  }

  @Test("All problems are reported together, with an example and without the secrets")
  func allAtOnce() throws {
    let error = #expect(throws: ConfigError.self) {
      _ = try Config.parse([
        "KITS_MASTER_KEYS": "sEcReT,also-secret", "KITS_LISTEN": "x", "KITS_LOG_LEVEL": "loud",
        "KITS_RETENTON_DAYS": "3",
      ])
    }
    let lines = try #require(error?.description.split(separator: "\n").map(String.init))
    #expect(
      lines == [
        "KITS_DATABASE_URL: is not set (example: postgresql://kits:secret@db.internal:5432/kits?sslmode=verify-full)",
        "KITS_MASTER_KEYS: entry 1 is not id:base64 (example: k1:$(openssl rand -base64 32))",
        "KITS_LISTEN: has no port (example: 127.0.0.1:8080)",
        "KITS_LOG_LEVEL: must be one of debug, info, notice, warning, error (example: info)",
        "KITS_RETENTON_DAYS: is not a variable of Kits; did you mean KITS_RETENTION_DAYS?",
      ])
  }

  @Test("A public URL is required as soon as the API listens beyond loopback")
  func publicURLRequired() {
    #expect(
      Self.problems(["KITS_LISTEN": "0.0.0.0:8080"])
        == ["KITS_PUBLIC_URL: is not set, and KITS_LISTEN is not on loopback"])
  }

  @Test("The database alone can be read before any key exists")
  func databaseAlone() throws {
    let url = ["KITS_DATABASE_URL": "postgresql://h/kits"]
    #expect(try Config.parseDatabase(url).url.reveal() == "postgresql://h/kits")
    #expect(throws: ConfigError.self) { try Config.parseOperator(url) }
  }

  @Test("Secrets are redacted however the configuration is printed (K33)")
  func redaction() throws {
    let config = try Self.parse([:])
    var dumped = ""
    dump(config, to: &dumped)
    let texts = [
      dumped, "\(config)", String(reflecting: config), String(describing: config.masterKeys),
      CheckConfig.report(config).text, CheckConfig.report(config).json,
      String(reflecting: Mirror(reflecting: config.database.url)),
    ]
    for text in texts {
      #expect(!text.contains("hunter2"))
      #expect(!text.contains("31"), "a key byte")
    }
    #expect(dumped.contains("<redacted>"))
    #expect(Mirror(reflecting: config.database.url).children.isEmpty)
  }

  @Test("The manual explains every variable")
  func manual() {
    for variable in Variable.allCases {
      #expect(Variable.manual.contains("  \(variable.name)\n"))
      #expect(!variable.documentation.summary.isEmpty)
    }
  }

  @Test(
    "A pin mask covers one leading label",
    arguments: [
      ("api.push.apple.com", true), ("push.apple.com", false), ("a.b.push.apple.com", false),
      (".push.apple.com", false),
    ])
  func mask(host: String, isCovered: Bool) {
    #expect(HostPins(mask: "*.push.apple.com", digests: []).covers(host) == isCovered)
  }
}
