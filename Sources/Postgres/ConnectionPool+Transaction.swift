/// How much of others' work a transaction sees.
package enum IsolationLevel: String, Sendable {
  case readCommitted = "ISOLATION LEVEL READ COMMITTED"
  /// One snapshot for all of its statements.
  case repeatableRead = "ISOLATION LEVEL REPEATABLE READ"
  case serializable = "ISOLATION LEVEL SERIALIZABLE"
}

extension ConnectionPool {
  /// Commits when `body` returns; rolls back and rethrows when it throws. `body` runs once; only a lost COMMIT is
  /// `outcomeUnknown`, everything lost before it is `unavailable`.
  package func transaction<R: Sendable>(
    _ isolation: IsolationLevel = .readCommitted, deadline: Instant? = nil,
    _ body: @Sendable (Transaction) async throws -> R
  ) async throws -> R {
    let deadline = deadline ?? .now + configuration.statementTimeout
    let connection = try await beginning(isolation, deadline)
    defer { release(connection) }
    let transaction = Transaction(connection, deadline: deadline)
    do {
      let answer = try await interruptible(connection) { try await body(transaction) }
      transaction.end()
      try await cancellable(connection) { () throws(PostgresError) in try await connection.commit(until: deadline) }
      return answer
    } catch {
      transaction.end()
      await connection.rollback(until: .now + configuration.cancelGrace)
      throw error
    }
  }

  /// A connection inside a transaction. A dead pooled one is replaced: BEGIN applies nothing.
  private func beginning(_ isolation: IsolationLevel, _ deadline: Instant) async throws(PostgresError) -> Connection {
    while true {
      let lease = try await acquire(until: deadline)
      do {
        try await cancellable(lease.connection) { () throws(PostgresError) in
          try await lease.connection.begin(isolation.rawValue, until: deadline)
        }
        return lease.connection
      } catch {
        release(lease.connection)
        if case .outcomeUnknown(let reason) = error {
          guard lease.isReused else { throw .unavailable(reason) }
        } else {
          guard lease.isReused, lease.connection.isBroken, case .unavailable = error else { throw error }
        }
        observe(.staleConnection)
      }
    }
  }

  private func interruptible<R: Sendable>(
    _ connection: Connection, _ body: @Sendable () async throws -> R
  ) async throws -> R {
    connection.interrupt.reset()
    return try await withTaskCancellationHandler {
      try await body()
    } onCancel: {
      connection.interrupt.request()
    }
  }
}
