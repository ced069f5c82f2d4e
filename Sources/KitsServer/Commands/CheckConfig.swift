internal import KitsAPI

/// `kits check-config`
enum CheckConfig {
  @Sendable static func run(_ invocation: Invocation) async throws {
    try invocation.output.print(report(try Settings.all(invocation)))
  }

  /// Every effective value; secrets as far as they can be shown.
  static func report(_ config: Config) -> Report {
    let keys = config.masterKeys
    return Report([
      ("database_url", .string(config.database.url.description)),
      ("database_connections", .integer(config.database.connections)),
      ("listen", .string(config.api.listen.description)),
      ("admin_listen", .string(config.admin.listen.description)),
      ("public_url", .string(config.api.publicURL.description)),
      ("master_key_ids", .list(keys.accepted.map { .string($0.id) })),
      ("minting_key_id", .string(keys.mintingID)),
      ("apns_production_url", .string(config.apns.productionURL.description)),
      ("apns_sandbox_url", .string(config.apns.sandboxURL.description)),
      ("apns_ca", config.apns.trustAnchorsFile.map { .string($0) } ?? .null),
      ("apns_pinned_hosts", .list(config.apns.pins.map { .string($0.mask) })),
      ("apns_loop_threads", .integer(config.apns.loopThreads)),
      ("lease_seconds", .integer(config.delivery.leaseSeconds)),
      ("retry_seconds", .integer(config.delivery.retrySeconds)),
      ("rate_server_key", .string(RateLimits.text(config.rates.serverKey))),
      ("rate_installation", .string(RateLimits.text(config.rates.installation))),
      ("rate_public_key", .string(RateLimits.text(config.rates.publicKey))),
      ("rate_events", .string(RateLimits.text(config.rates.events))),
      ("log_level", .string(config.logLevel.name)),
      ("retention_days", .integer(config.retentionDays)),
      ("audit_retention_days", .integer(config.auditRetentionDays)),
      ("drain_seconds", .integer(Int(config.drain.components.seconds))),
    ])
  }
}
