import Foundation

/// TCP on 127.0.0.1.
enum Loopback {
  static func connect(port: Int) throws(BenchError) -> Int32 {
    let descriptor = try open()
    var address = address(port)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw BenchError("127.0.0.1:\(port): \(reason)")
    }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }

  /// A port that was free a moment ago.
  static func freePort() throws(BenchError) -> Int {
    let (descriptor, port) = try bound()
    close(descriptor)
    return port
  }

  /// A listening socket on a free port.
  static func listen() throws(BenchError) -> (descriptor: Int32, port: Int) {
    let (descriptor, port) = try bound()
    guard Glibc.listen(descriptor, 64) == 0 else { throw BenchError("port \(port) can't be listened on") }
    return (descriptor, port)
  }

  private static func bound() throws(BenchError) -> (descriptor: Int32, port: Int) {
    let descriptor = try open()
    var address = address(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
      }
    }
    guard result == 0 else { throw BenchError("no free port") }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  private static func open() throws(BenchError) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw BenchError("no socket: \(String(cString: strerror(errno)))") }
    return descriptor
  }

  private static func address(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}
