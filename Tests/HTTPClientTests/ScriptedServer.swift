import Foundation
import Glibc
import HTTPClient

/// An HTTP/2 server over TLS whose every frame a test decides: it knows frames, not headers. A request is told by
/// its body.
final class ScriptedServer: Sendable {
  typealias Script = @Sendable (ServerSession, ServerEvent) -> Void

  struct Log {
    var bodies: [String] = []
    var connections = 0
    var mostOpen = 0
  }

  let port: UInt16
  private let listener: Int32
  private let script: Script
  private let state = Locked<(log: Log, waiters: [Waiter])>((Log(), []))
  private let sockets = Locked<[Int32]>([])

  private struct Waiter: Sendable {
    let isMet: @Sendable (Log) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  /// Port 0 takes any.
  init(port: UInt16 = 0, _ script: @escaping Script) throws {
    self.script = script
    (listener, self.port) = try Self.listen(port)
    Thread.detachNewThread { [listener, self] in
      while true {
        let accepted = accept(listener, nil, nil)
        guard accepted >= 0 else { return }
        self.serve(accepted)
      }
    }
  }

  var origin: Origin {
    get throws { try Origin("https://127.0.0.1:\(port)") }
  }

  var log: Log { state.withLock { $0.log } }
  var bodies: [String] { log.bodies }
  /// Bodies that came more than once.
  var duplicates: [String] {
    Dictionary(grouping: bodies) { $0 }.filter { $0.value.count > 1 }.map(\.key)
  }

  /// Returns when the log meets the condition.
  func wait(until isMet: @escaping @Sendable (Log) -> Bool) async {
    await withCheckedContinuation { continuation in
      let now = state.withLock { state in
        if isMet(state.log) { return true }
        state.waiters.append(Waiter(isMet: isMet, continuation: continuation))
        return false
      }
      if now { continuation.resume() }
    }
  }

  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    for socket in sockets.withLock({ $0 }) { shutdown(socket, Int32(SHUT_RDWR)) }
  }

  func change(_ change: (inout Log) -> Void) {
    let met: [Waiter] = state.withLock { state in
      change(&state.log)
      let met = state.waiters.filter { $0.isMet(state.log) }
      state.waiters.removeAll { $0.isMet(state.log) }
      return met
    }
    for waiter in met { waiter.continuation.resume() }
  }

  private func serve(_ socket: Int32) {
    sockets.withLock { $0.append(socket) }
    var one: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    let number = log.connections
    change { $0.connections += 1 }
    guard let tls = try? TLSSocket(socket) else { return }
    let session = ServerSession(socket: tls, number: number, server: self)
    Thread.detachNewThread { [script] in session.run(script) }
  }

  static func listen(_ port: UInt16) throws -> (Int32, UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var one: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && Glibc.listen(listener, 64) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard result else { throw HTTPClientError.system(call: "bind", errno: errno) }
    return (listener, UInt16(bigEndian: address.sin_port))
  }
}

enum ServerEvent: Sendable {
  /// The client's preface came; the script sends the settings.
  case opened
  /// A whole request; its body.
  case request(stream: Int32, body: String)
}
