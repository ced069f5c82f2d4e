internal import KitsAPI

extension Variable {
  struct Documentation: Sendable {
    let summary: String
    /// A value that is right; shown with every problem.
    let example: String
    /// What applies when the variable is absent; nil makes it required.
    let fallback: String?
  }

  var documentation: Documentation {
    switch self {
    case .databaseURL:
      Documentation(
        summary: "PostgreSQL, where all state lives.",
        example: "postgresql://kits:secret@db.internal:5432/kits?sslmode=verify-full", fallback: nil)
    case .databaseConnections:
      Documentation(
        summary: "Connections this process keeps to the database, \(ConfigLimits.databaseConnections.words).",
        example: "8", fallback: "\(ConfigDefaults.databaseConnections)")
    case .listen:
      Documentation(
        summary: "Address of the API: IPv4 or [IPv6], then a port (0 takes a free one).",
        example: "127.0.0.1:8080", fallback: ConfigDefaults.listen.description)
    case .adminListen:
      Documentation(
        summary: "Address of /healthz, /readyz and /metrics; keep it private.",
        example: "127.0.0.1:9090", fallback: ConfigDefaults.adminListen.description)
    case .publicURL:
      Documentation(
        summary: "Base URL at which devices reach the API; https, or http on loopback.",
        example: "https://push.example.com", fallback: "http://KITS_LISTEN when that is loopback, else required")
    case .masterKeys:
      Documentation(
        summary: "Accepted master keys, id:base64 of 32 bytes each, comma-separated; ids are [a-z0-9]{1,8}.",
        example: "k1:$(openssl rand -base64 32)", fallback: nil)
    case .masterKeyID:
      Documentation(
        summary: "Id of the master key that mints new credentials.",
        example: "k1", fallback: "the first of KITS_MASTER_KEYS")
    default:
      deliveryDocumentation
    }
  }

  private var deliveryDocumentation: Documentation {
    switch self {
    case .apnsProductionURL:
      Documentation(
        summary: "Where production pushes go.",
        example: ConfigDefaults.apnsProduction.description, fallback: ConfigDefaults.apnsProduction.description)
    case .apnsSandboxURL:
      Documentation(
        summary: "Where sandbox pushes go.",
        example: ConfigDefaults.apnsSandbox.description, fallback: ConfigDefaults.apnsSandbox.description)
    case .apnsCA:
      Documentation(
        summary: "PEM file of extra trust anchors for the APNs connections.",
        example: "/etc/kits/apns-ca.pem", fallback: "the system's trust store alone")
    case .apnsPins:
      Documentation(
        summary: "SPKI pins per host mask: HOST=PIN,BACKUP;HOST=…, * stands for one leading label.",
        example: "*.push.apple.com=sha256/<44 base64 characters>,sha256/<another>", fallback: "no pinning")
    case .apnsLoopThreads:
      Documentation(
        summary: "Network threads that send pushes, \(ConfigLimits.apnsLoopThreads.words).",
        example: "2", fallback: "\(ConfigDefaults.apnsLoopThreads)")
    case .leaseSeconds:
      Documentation(
        summary: "Seconds until another process takes over what a dead one held, \(ConfigLimits.leaseSeconds.words).",
        example: "60", fallback: "\(ConfigDefaults.leaseSeconds)")
    case .retrySeconds:
      Documentation(
        summary: "Seconds until a push is tried again that the service failed at; doubles, "
          + "\(ConfigLimits.retrySeconds.words).",
        example: "900", fallback: "\(ConfigDefaults.retrySeconds)")
    case .webhookRetrySeconds, .webhookCA, .webhookAllowPrivate:
      webhookDocumentation
    case .rateServerKey, .rateInstallation, .ratePublicKey, .rateEvents:
      rateDocumentation
    case .logLevel:
      Documentation(
        summary: "Least severe log line that is written: \(LogLevel.names.joined(separator: ", ")).",
        example: "info", fallback: ConfigDefaults.logLevel.name)
    case .retentionDays:
      Documentation(
        summary: "Days until finished deliveries and events are dropped, \(ConfigLimits.retentionDays.words).",
        example: "30", fallback: "\(ConfigDefaults.retentionDays)")
    case .auditRetentionDays:
      Documentation(
        summary: "Days until entries of the audit log are dropped, \(ConfigLimits.auditRetentionDays.words).",
        example: "400", fallback: "\(ConfigDefaults.auditRetentionDays)")
    default:
      Documentation(
        summary: "Seconds a stopping process may take to finish its work, \(ConfigLimits.drainSeconds.words).",
        example: "25", fallback: "\(ConfigDefaults.drainSeconds)")
    }
  }

  private var webhookDocumentation: Documentation {
    switch self {
    case .webhookRetrySeconds:
      Documentation(
        summary: "Seconds until a webhook is asked again that didn't take an event; doubles, "
          + "\(ConfigLimits.webhookRetrySeconds.words).",
        example: "10", fallback: "\(ConfigDefaults.webhookRetrySeconds)")
    case .webhookCA:
      Documentation(
        summary: "PEM file of extra trust anchors for webhooks.",
        example: "/etc/kits/webhook-ca.pem", fallback: "the system's trust store alone")
    default:
      Documentation(
        summary:
          "on lets webhooks go to http and private addresses. For development: customers could reach your network.",
        example: "off", fallback: "off")
    }
  }

  private var rateDocumentation: Documentation {
    let form = "a second, colon, at once; or off."
    switch self {
    case .rateServerKey:
      return Documentation(
        summary: "Requests it takes of one server key: \(form)", example: "2000:4000",
        fallback: RateLimits.text(ConfigDefaults.rates.serverKey))
    case .rateInstallation:
      return Documentation(
        summary: "Requests it takes of one installation: \(form)", example: "20:60",
        fallback: RateLimits.text(ConfigDefaults.rates.installation))
    case .rateEvents:
      return Documentation(
        summary: "Events, receipts and activity it takes of an app: \(form)",
        example: "20000:40000", fallback: RateLimits.text(ConfigDefaults.rates.events))
    default:
      return Documentation(
        summary: "Requests it takes of all devices under one public key: \(form)",
        example: "5000:10000", fallback: RateLimits.text(ConfigDefaults.rates.publicKey))
    }
  }

  /// The text of `kits check-config --help` and of the operations manual: one paragraph per variable.
  static var manual: String {
    allCases.map { variable in
      let text = variable.documentation
      let fallback = text.fallback.map { "Default: \($0)." } ?? "Required."
      return "  \(variable.name)\n      \(text.summary)\n      \(fallback) Example: \(text.example)"
    }.joined(separator: "\n")
  }
}
