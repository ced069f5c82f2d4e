internal import Glibc

/// All open connections. While its lock is held no socket in it can be closed: the library's notice of the close,
/// which comes before the close itself, has to take the connection out first.
final class ConnectionRegistry: Sendable {
  private let connections = Guarded<[ObjectIdentifier: Connection]>([:])

  var count: Int { connections.withLock { $0.count } }

  func insert(_ connection: Connection) {
    connections.withLock { $0[ObjectIdentifier(connection)] = connection }
    connections.signal()
  }

  func remove(_ connection: Connection) {
    connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    connections.signal()
  }

  /// Every socket stays valid during `body`; it must not call into the library.
  func withSockets(_ body: (Connection) -> Void) {
    connections.withLock { $0.values.forEach(body) }
  }

  var exchanges: [Exchange] { connections.withLock { Array($0.values) }.compactMap(\.exchange) }

  /// Shuts every socket down and blocks until the library has closed them all, or time is up. A thread may still be
  /// about to tell of a connection that it accepted before the listening socket was taken away: waits for that too.
  func closeAll(until deadline: Instant) {
    while Instant.now < deadline {
      withSockets { _ = shutdown($0.socket, Int32(SHUT_RDWR)) }
      guard connections.wait(until: .now + Self.settling, \.isEmpty) else { continue }
      if !connections.wait(until: .now + Self.settling, { !$0.isEmpty }) { return }
    }
  }

  private static let settling = Duration.milliseconds(50)
}
