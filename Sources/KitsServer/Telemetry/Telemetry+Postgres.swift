internal import Postgres

extension Telemetry {
  func databaseObserver(_ metrics: DatabaseMetrics, pool: String) -> @Sendable (PostgresEvent) -> Void {
    { [self] event in record(event, metrics, pool) }
  }

  private func record(_ event: PostgresEvent, _ metrics: DatabaseMetrics, _ pool: String) {
    let place = ("pool", LogValue.string(pool))
    func trouble(_ kind: String) { metrics.troubles.with(pool, kind).increment() }
    switch event {
    case .connected(let milliseconds):
      metrics.connects.with(pool).increment()
      log(.debug, "database_connected", [place, ("milliseconds", .integer(milliseconds))])
    case .connectFailed(let reason):
      trouble("connect_failed")
      log(.warning, "database_connect_failed", [place, ("reason", .string(reason))])
    case .connectionLost(let reason):
      trouble("connection_lost")
      log(.warning, "database_connection_lost", [place, ("reason", .string(reason))])
    case .staleConnection:
      trouble("stale_connection")
      log(.debug, "database_connection_stale", [place])
    case .retried(let statement):
      metrics.retries.with(pool).increment()
      log(.info, "database_statement_retried", [place, ("statement", .string(statement))])
    case .statementDeadline(let statement):
      trouble("statement_deadline")
      log(.warning, "database_statement_deadline", [place, ("statement", .string(statement))])
    case .waitDeadline:
      trouble("wait_deadline")
      log(.warning, "database_wait_deadline", [place])
    case .overloaded:
      trouble("overloaded")
      log(.warning, "database_overloaded", [place])
    case .batchSent, .batchRepeated, .batchReplayed, .batchIsolated, .batchOverloaded:
      recordBatch(event, metrics)
    }
  }

  private func recordBatch(_ event: PostgresEvent, _ metrics: DatabaseMetrics) {
    func trouble(_ batcher: String, _ kind: String) { metrics.batchTroubles.with(batcher, kind).increment() }
    switch event {
    case .batchSent(let batcher, let rows): metrics.batchRows.with(batcher).observe(Double(rows))
    case .batchRepeated(let batcher, let state):
      trouble(batcher, "repeated")
      log(.debug, "batch_repeated", [("batcher", .string(batcher)), ("sqlstate", .string(state))])
    case .batchReplayed(let batcher, let rows):
      trouble(batcher, "replayed")
      log(.warning, "batch_replayed", [("batcher", .string(batcher)), ("rows", .integer(rows))])
    case .batchIsolated(let batcher, let rows, let state):
      trouble(batcher, "isolated")
      log(
        .info, "batch_isolated",
        [("batcher", .string(batcher)), ("rows", .integer(rows)), ("sqlstate", .string(state))])
    case .batchOverloaded(let batcher):
      trouble(batcher, "overloaded")
      log(.warning, "batch_overloaded", [("batcher", .string(batcher))])
    // Those of the pool are recorded above.
    default: break
    }
  }
}
