/// All open connections. While its lock is held no socket in it can be closed: the library's notice of the close,
/// which comes before the close itself, has to take the connection out first.
final class ConnectionRegistry: Sendable {
  private let connections = Guarded<[ObjectIdentifier: Connection]>([:])

  var count: Int { connections.withLock { $0.count } }

  func insert(_ connection: Connection) {
    connections.withLock { $0[ObjectIdentifier(connection)] = connection }
  }

  func remove(_ connection: Connection) {
    connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
  }

  /// Every socket stays valid during `body`; it must not call into the library.
  func withSockets(_ body: (Connection) -> Void) {
    connections.withLock { $0.values.forEach(body) }
  }

  var exchanges: [Exchange] { connections.withLock { Array($0.values) }.compactMap(\.exchange) }
}
