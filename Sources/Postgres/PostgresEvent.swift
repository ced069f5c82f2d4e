/// What operators want to know about the pool and the batchers. Holds no values and no SQL.
package enum PostgresEvent: Sendable, Equatable {
  case connected(milliseconds: Int)
  case connectFailed(String)
  case connectionLost(String)
  /// A pooled connection had died unnoticed; the statement, not yet sent, went on with another one.
  case staleConnection
  /// An idempotent statement was sent a second time.
  case retried(statement: String)
  case statementDeadline(statement: String)
  case waitDeadline
  case overloaded
  /// How many requests went to the database as one.
  case batchSent(batcher: String, rows: Int)
  case batchRepeated(batcher: String, sqlState: String)
  case batchReplayed(batcher: String, rows: Int)
  case batchIsolated(batcher: String, rows: Int, sqlState: String)
  case batchOverloaded(batcher: String)
}
