internal import Synchronization

/// At most `size` connections, opened when needed, lent to one caller at a time, first come first served.
/// While the server is down callers fail at once; when it is back the next call finds it.
package final class ConnectionPool: Sendable {
  package typealias Instant = ContinuousClock.Instant

  package let configuration: PoolConfiguration
  package let observe: @Sendable (PostgresEvent) -> Void
  let state: Locked<PoolState>
  let nextWaiter = Atomic<UInt64>(0)

  package init(
    _ configuration: PoolConfiguration, observe: @Sendable @escaping (PostgresEvent) -> Void = { _ in }
  ) {
    self.configuration = configuration
    self.observe = observe
    state = Locked(PoolState(configuration))
  }

  package func run<S: Statement>(
    _ statement: S, deadline: Instant? = nil
  ) async throws(PostgresError) -> [S.Row] {
    let command = try Command(statement)
    return try await lend(command.label, deadline, S.isIdempotent) { (connection, until) throws(PostgresError) in
      try await connection.run(S.self, command, until: until)
    }
  }

  package func first<S: Statement>(
    _ statement: S, deadline: Instant? = nil
  ) async throws(PostgresError) -> S.Row? {
    try await run(statement, deadline: deadline).first
  }

  /// The number of rows that the statement touched.
  @discardableResult
  package func execute<S: Statement>(
    _ statement: S, deadline: Instant? = nil
  ) async throws(PostgresError) -> Int {
    let command = try Command(statement)
    return try await lend(command.label, deadline, S.isIdempotent) { (connection, until) throws(PostgresError) in
      try await connection.execute(command, until: until)
    }
  }

  package func run<Row>(
    _ statement: DynamicStatement<Row>, deadline: Instant? = nil
  ) async throws(PostgresError) -> [Row] {
    let command = try Command(statement)
    return try await lend(command.label, deadline, statement.isIdempotent) {
      (connection, until) throws(PostgresError) in
      try await connection.run(command, until: until, statement.decode)
    }
  }

  /// Any number of statements without parameters in the simple protocol, in one transaction unless they say
  /// otherwise.
  package func script(_ sql: String, deadline: Instant? = nil) async throws(PostgresError) {
    try await lend("script", deadline, false) { (connection, until) throws(PostgresError) in
      try await connection.script(sql, label: "script", until: until)
    }
  }

  /// All in one round trip on one connection, each in a transaction of its own, in order.
  package func pipeline<S: Statement>(
    _ statements: [S], deadline: Instant? = nil
  ) async throws(PostgresError) -> [Result<[S.Row], PostgresError>] {
    var commands: [Command] = []
    for statement in statements { commands.append(try Command(statement)) }
    return try await lend("pipeline", deadline, false) { [commands] (connection, until) throws(PostgresError) in
      await connection.answers(to: commands, as: S.self, until: until)
    }
  }

  /// Refuses new calls and closes idle connections; a lent one closes when it comes back.
  package func close() async {
    let (connections, waiters) = state { $0.close() }
    for waiter in waiters { waiter.resume.resume(returning: .failure(.unavailable("the pool is closed"))) }
    for connection in connections { await connection.close() }
  }

  /// Runs `body` with a connection. A dead pooled connection that was noticed before sending is replaced without a
  /// word; an idempotent statement that was lost on a pooled connection goes out a second time.
  func lend<R: Sendable>(
    _ label: String, _ deadline: Instant?, _ isIdempotent: Bool,
    _ body: @Sendable (Connection, Instant) async throws(PostgresError) -> R
  ) async throws(PostgresError) -> R {
    let deadline = deadline ?? .now + configuration.statementTimeout
    var mayRetry = isIdempotent
    while true {
      let lease = try await acquire(until: deadline)
      do {
        let answer = try await cancellable(lease.connection) { () throws(PostgresError) in
          try await body(lease.connection, deadline)
        }
        release(lease.connection)
        return answer
      } catch {
        let isStale = lease.isReused && lease.connection.isBroken && lease.connection.failedUnsent
        release(lease.connection)
        note(error, label, isStale)
        if isStale { continue }
        guard mayRetry, lease.isReused, error.lostConnection else { throw error }
        mayRetry = false
        observe(.retried(statement: label))
      }
    }
  }

  private func note(_ error: PostgresError, _ label: String, _ isStale: Bool) {
    switch error {
    case .unavailable where isStale: observe(.staleConnection)
    case .unavailable(let reason), .outcomeUnknown(let reason): observe(.connectionLost(reason))
    case .deadline: observe(.statementDeadline(statement: label))
    default: break
    }
  }
}

extension PostgresError {
  var lostConnection: Bool {
    switch self {
    case .unavailable, .outcomeUnknown: true
    default: false
    }
  }
}

extension ConnectionPool {
  /// Callers that wait for a connection right now, for metrics.
  package var waiting: Int { state { $0.waiters.count } }
}
