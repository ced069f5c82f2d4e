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
      logSparsely(.warning, "database_connect_failed", part: pool, [place, ("reason", .string(reason))])
    case .connectionLost(let reason):
      trouble("connection_lost")
      logSparsely(.warning, "database_connection_lost", part: pool, [place, ("reason", .string(reason))])
    case .staleConnection:
      trouble("stale_connection")
      log(.debug, "database_connection_stale", [place])
    case .retried(let statement):
      metrics.retries.with(pool).increment()
      logSparsely(.info, "database_statement_retried", part: pool, [place, ("statement", .string(statement))])
    case .statementDeadline(let statement):
      trouble("statement_deadline")
      logSparsely(.warning, "database_statement_deadline", part: pool, [place, ("statement", .string(statement))])
    case .waitDeadline:
      trouble("wait_deadline")
      logSparsely(.warning, "database_wait_deadline", part: pool, [place])
    case .overloaded:
      trouble("overloaded")
      logSparsely(.warning, "database_overloaded", part: pool, [place])
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
      logSparsely(.warning, "batch_replayed", part: batcher, [("batcher", .string(batcher)), ("rows", .integer(rows))])
    case .batchIsolated(let batcher, let rows, let state):
      trouble(batcher, "isolated")
      logSparsely(
        .info, "batch_isolated", part: batcher,
        [("batcher", .string(batcher)), ("rows", .integer(rows)), ("sqlstate", .string(state))])
    case .batchOverloaded(let batcher):
      trouble(batcher, "overloaded")
      logSparsely(.warning, "batch_overloaded", part: batcher, [("batcher", .string(batcher))])
    // Those of the pool are recorded above.
    default: break
    }
  }
}
