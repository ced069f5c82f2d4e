internal import CPostgres
internal import Glibc

/// Asks the server to cancel what a connection is running. PQcancel opens a second, blocking connection that can
/// hang for as long as the network does, so it gets a thread of its own; nobody waits for it.
enum StatementCancel {
  static func send(for handle: ConnectionHandle) {
    guard let cancel = PQgetCancel(handle.pointer) else { return }
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, { runCancel($0) }, UnsafeMutableRawPointer(cancel))
    if code == 0 { pthread_detach(thread) } else { PQfreeCancel(cancel) }
  }
}

private func runCancel(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  let cancel = context.map { OpaquePointer($0) }
  var message = [CChar](repeating: 0, count: 256)
  _ = PQcancel(cancel, &message, Int32(message.count))
  PQfreeCancel(cancel)
  return nil
}
