internal import Synchronization

extension ConnectionPool {
  struct Lease: Sendable {
    let connection: Connection
    /// It was in the pool before, so the server may have closed it meanwhile.
    let isReused: Bool
  }

  func acquire(until deadline: Instant) async throws(PostgresError) -> Lease {
    let now = Instant.now
    var decision = state { $0.ask(now: now) }
    if case .wait = decision { decision = .now(await waitForTurn(min(deadline, now + configuration.waitTimeout))) }
    guard case .now(let answer) = decision else { throw .overloaded }
    do throws(PostgresError) {
      switch try answer.get() {
      case .use(let connection): return Lease(connection: connection, isReused: true)
      case .open: return Lease(connection: try await openConnection(), isReused: false)
      }
    } catch {
      if error == .overloaded { observe(.overloaded) }
      throw error
    }
  }

  func release(_ connection: Connection) {
    if let (waiter, answer) = state({ $0.giveBack(connection) }) { waiter.resume.resume(returning: answer) }
    if state({ $0.isClosed }) { Task { await connection.close() } }
  }

  /// Cancelling the calling task interrupts what the connection runs.
  func cancellable<R: Sendable>(
    _ connection: Connection, _ body: @Sendable () async throws(PostgresError) -> R
  ) async throws(PostgresError) -> R {
    connection.interrupt.reset()
    let result: Result<R, PostgresError> = await withTaskCancellationHandler {
      do throws(PostgresError) { return .success(try await body()) } catch { return .failure(error) }
    } onCancel: {
      connection.interrupt.request()
    }
    return try result.get()
  }

  private func openConnection() async throws(PostgresError) -> Connection {
    let started = Instant.now
    do throws(PostgresError) {
      let connection = try Connection(configuration)
      try await connection.open()
      state { $0.connected() }
      observe(.connected(milliseconds: Int((Instant.now - started) / .milliseconds(1))))
      return connection
    } catch {
      let waiters = state { $0.connectFailed(error, now: .now) }
      for waiter in waiters { waiter.resume.resume(returning: .failure(error)) }
      if case .unavailable(let reason) = error { observe(.connectFailed(reason)) }
      throw error
    }
  }

  private func waitForTurn(_ deadline: Instant) async -> PoolState.Answer {
    let id = nextWaiter.add(1, ordering: .relaxed).newValue
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in enqueue(id, deadline, continuation) }
    } onCancel: {
      state { $0.removeWaiter(id) }?.resume.resume(returning: .failure(.cancelled))
    }
  }

  /// Between the question and here a connection may have come back, or the task may have been cancelled.
  private func enqueue(_ id: UInt64, _ deadline: Instant, _ continuation: CheckedContinuation<PoolState.Answer, Never>)
  {
    let isCancelled = Task.isCancelled
    let (answer, needsSweep) = state { state -> (PoolState.Answer?, Bool) in
      if isCancelled { return (.failure(.cancelled), false) }
      if case .now(let answer) = state.ask(now: .now) { return (answer, false) }
      state.enqueue(.init(id: id, deadline: deadline, resume: continuation))
      defer { state.isSweeping = true }
      return (nil, !state.isSweeping)
    }
    if let answer { continuation.resume(returning: answer) }
    if needsSweep { Task { await sweep() } }
  }

  /// Lives while anyone waits: fails those whose deadline has passed.
  private func sweep() async {
    while true {
      let (expired, next) = state { state -> ([PoolState.Waiter], Instant?) in
        let expired = state.removeExpired(now: .now)
        let next = state.waiters.map(\.deadline).min()
        state.isSweeping = next != nil
        return (expired, next)
      }
      for waiter in expired {
        observe(.waitDeadline)
        waiter.resume.resume(returning: .failure(.deadline))
      }
      guard let next else { return }
      // A waiter with an earlier deadline than all others waits this much longer at most.
      let step = min(next, Instant.now + .milliseconds(100))
      // This task is never cancelled.
      try? await Task.sleep(until: step, clock: .continuous)
    }
  }
}
