internal import Postgres

/// What pools and batchers do.
struct DatabaseMetrics: Sendable {
  let connects: CounterFamily
  let troubles: CounterFamily
  let retries: CounterFamily
  let batchRows: HistogramFamily
  let batchTroubles: CounterFamily

  init(_ registry: MetricsRegistry) {
    connects = registry.counter(
      "kits_database_connects_total", help: "Connections opened to the database.", labels: ["pool"])
    troubles = registry.counter(
      "kits_database_troubles_total",
      help: "Failed connects, lost connections, passed deadlines, refused waits.", labels: ["pool", "kind"])
    retries = registry.counter(
      "kits_database_retries_total", help: "Statements sent a second time after a connection broke.",
      labels: ["pool"])
    batchRows = registry.histogram(
      "kits_database_batch_rows", help: "Requests that went to the database as one.", labels: ["batcher"],
      bounds: Histogram.sizes)
    batchTroubles = registry.counter(
      "kits_database_batch_troubles_total", help: "Batches repeated, replayed, taken apart or refused.",
      labels: ["batcher", "kind"])
  }

  /// Read at each scrape.
  static func observe(_ pools: [(name: String, pool: ConnectionPool)], in registry: MetricsRegistry) {
    func gauge(_ name: String, _ help: String, _ read: @escaping @Sendable (PoolLoad) -> Int) {
      let readers = pools.map { entry in
        (value: entry.name, read: { @Sendable () -> Double? in Double(read(entry.pool.load)) })
      }
      registry.observedGauges(name, help: help, label: "pool", readers)
    }
    gauge("kits_database_connections", "Connections to the database, idle or lent.", \.connections)
    gauge("kits_database_idle_connections", "Connections that nobody uses.", \.idle)
    gauge("kits_database_waiters", "Callers that wait for a connection.", \.waiters)
  }
}
