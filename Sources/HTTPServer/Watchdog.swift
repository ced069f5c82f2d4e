internal import CMicrohttpd
internal import Glibc

/// Enforces the deadlines. The library only has an idle timeout, which one byte now and then keeps from ever passing.
final class Watchdog: Sendable {
  private let registry: ConnectionRegistry
  private let limits: ServerLimits
  private let isStopped = Guarded(false)
  /// Told after the socket was shut down; returns what to send to the client before that.
  private let expired: @Sendable (Deadline, Connection) -> Void
  private let farewell: @Sendable (Deadline, Connection) -> [UInt8]

  init(
    registry: ConnectionRegistry, limits: ServerLimits,
    farewell: @escaping @Sendable (Deadline, Connection) -> [UInt8],
    expired: @escaping @Sendable (Deadline, Connection) -> Void
  ) {
    self.registry = registry
    self.limits = limits
    self.farewell = farewell
    self.expired = expired
  }

  func start() {
    Thread.start { [self] in
      while !isStopped.wait(until: .now + tick, { $0 }) { look() }
    }
  }

  func stop() {
    isStopped.withLock { $0 = true }
    isStopped.signal()
  }

  /// A deadline may be late by two of these: one to notice the first byte, one to notice the end.
  private var tick: Duration {
    let shortest = min(limits.headDeadline, limits.bodyDeadline, limits.writeDeadline, limits.idleDeadline)
    return max(.milliseconds(5), min(.milliseconds(500), shortest / 4))
  }

  private func look() {
    var passed: [(Deadline, Connection)] = []
    registry.withSockets { connection in
      guard let deadline = connection.expire(at: .now, limits: limits) else { return }
      let bytes = farewell(deadline, connection)
      if !bytes.isEmpty {
        _ = send(connection.socket, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      shutdown(connection.socket, Int32(SHUT_RDWR))
      passed.append((deadline, connection))
    }
    for (deadline, connection) in passed { expired(deadline, connection) }
  }
}
