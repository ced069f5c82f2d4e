internal import CMicrohttpd
internal import Glibc

/// A listening socket made by us rather than the library, so that a failure has a name.
enum ListeningSocket {
  /// Connections that the kernel completes while all threads are busy.
  private static let backlog: Int32 = 1_024

  static func open(host: String, port: Int) throws(HTTPServerError) -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    guard (0...65_535).contains(port), getaddrinfo(host, String(port), &hints, &found) == 0, let address = found else {
      throw .addressInvalid("\(host):\(port)")
    }
    defer { freeaddrinfo(found) }
    let socket = Glibc.socket(
      address.pointee.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw .listenFailed(code: errno) }
    var yes: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard bind(socket, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0, listen(socket, backlog) == 0 else {
      let code = errno
      close(socket)
      throw code == EADDRINUSE ? .addressInUse(host: host, port: port) : .listenFailed(code: code)
    }
    return socket
  }

  /// Ends the listening while the number of the descriptor stays in use: it becomes one that never has anything to
  /// accept, and the socket, which nobody refers to any more, is closed and leaves the epoll sets by itself.
  static func retire(_ socket: Int32) {
    // Without a name nobody can send to it.
    let silent = Glibc.socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard silent >= 0 else {
      // Out of descriptors: new connections are reset instead of refused.
      shutdown(socket, Int32(SHUT_RDWR))
      return
    }
    dup2(silent, socket)
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    close(silent)
  }

  static func port(of socket: Int32) -> Int {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getsockname(socket, address, &size) == 0 ? Self.port(of: address) : 0
      }
    }
  }

  /// The numeric address without port and scope.
  static func text(of address: UnsafePointer<sockaddr>?) -> String {
    guard let address else { return "" }
    let isIPv6 = Int32(address.pointee.sa_family) == AF_INET6
    let size = socklen_t(isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
      guard getnameinfo(address, size, buffer.baseAddress, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0 else {
        return ""
      }
      return buffer.baseAddress.map { String(cString: $0) } ?? ""
    }
  }

  private static func port(of address: UnsafePointer<sockaddr>) -> Int {
    if Int32(address.pointee.sa_family) == AF_INET6 {
      return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        Int(UInt16(bigEndian: $0.pointee.sin6_port))
      }
    }
    return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Int(UInt16(bigEndian: $0.pointee.sin_port)) }
  }
}
