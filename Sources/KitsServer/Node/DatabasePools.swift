internal import Postgres

/// The connections of this process: a pool for each half, so that a fan-out and the API never wait for one another, and
/// one connection of their own for webhooks, so that nobody waits for those.
struct DatabasePools: Sendable {
  let api: ConnectionPool
  let delivery: ConnectionPool
  /// Opened by a node that delivers, beyond the connections that the operator allotted.
  let webhooks: ConnectionPool

  /// Every statement here is prepared, finds its rows by an index and works on a set of unknown size: planning it anew
  /// costs more than running it, and a plan that was made while a table was empty must not scan it for ever.
  private static let planning = [
    (name: "plan_cache_mode", value: "force_generic_plan"), (name: "enable_seqscan", value: "off"),
  ]

  /// For whatever belongs to neither half.
  var any: ConnectionPool { api }

  init(_ database: Config.Database, parts: [Node.Part], _ telemetry: Telemetry) {
    let metrics = DatabaseMetrics(telemetry.metrics)
    func pool(_ name: String, size: Int) -> ConnectionPool {
      var configuration = PoolConfiguration(url: database.url.reveal())
      configuration.size = size
      configuration.applicationName = "kits \(name)"
      configuration.settings += Self.planning
      return ConnectionPool(configuration, observe: telemetry.databaseObserver(metrics, pool: name))
    }
    webhooks = pool("webhooks", size: 1)
    if parts.count > 1 && database.connections > 1 {
      // Planning and dispatching hold a connection for longer, requests come in larger numbers: half each.
      delivery = pool("delivery", size: database.connections / 2)
      api = pool("api", size: database.connections - database.connections / 2)
      DatabaseMetrics.observe([("api", api), ("delivery", delivery), ("webhooks", webhooks)], in: telemetry.metrics)
    } else {
      let name = parts.count > 1 ? "shared" : parts.first?.rawValue ?? "shared"
      api = pool(name, size: database.connections)
      delivery = api
      let mine = parts.contains(.delivery) ? [("webhooks", webhooks)] : []
      DatabaseMetrics.observe([(name, api)] + mine, in: telemetry.metrics)
    }
  }

  func close() async {
    await api.close()
    await delivery.close()
    await webhooks.close()
  }
}
