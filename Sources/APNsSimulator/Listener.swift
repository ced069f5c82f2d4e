import Foundation

/// The TLS port. Loopback by default: the simulator is a laboratory, not a service for a network.
struct Listener {
  let descriptor: Int32
  let port: UInt16

  /// Connections the kernel may hold ready before they are accepted.
  private static let backlog: Int32 = 1_024

  init(address: String, port: UInt16) throws {
    let socket = Foundation.socket(
      AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw SocketError(what: "socket", code: errno) }
    var on: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    guard inet_pton(AF_INET, address, &name.sin_addr) == 1 else {
      close(socket)
      throw SocketError(what: "address \(address)", code: EINVAL)
    }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(socket, address, length) == 0 && listen(socket, Self.backlog) == 0
          && getsockname(socket, address, &length) == 0
      }
    }
    guard bound else {
      let code = errno
      close(socket)
      throw SocketError(what: "port \(port)", code: code)
    }
    descriptor = socket
    self.port = UInt16(bigEndian: name.sin_port)
  }
}
