/// How busy a pool is, for metrics.
package struct PoolLoad: Sendable, Equatable {
  /// Idle, lent and being opened.
  package let connections: Int
  package let idle: Int
  /// Callers that wait for one.
  package let waiters: Int
}

extension ConnectionPool {
  package var load: PoolLoad {
    state { PoolLoad(connections: $0.open, idle: $0.idle.count, waiters: $0.waiters.count) }
  }
}
