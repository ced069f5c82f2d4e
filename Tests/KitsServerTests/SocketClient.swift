import Glibc

/// One HTTP request over a socket of its own, read until the server closes.
enum SocketClient {
  struct Answer {
    let status: Int
    let head: String
    let body: String
  }

  struct Failure: Error {
    let step: String
    let code: Int32
  }

  /// A connected socket, the caller's to close.
  static func open(port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failure(step: "connect", code: errno) }
    return descriptor
  }

  static func get(_ path: String, port: UInt16) throws -> Answer {
    let descriptor = try open(port: port)
    defer { close(descriptor) }
    let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      throw Failure(step: "send", code: errno)
    }
    var received: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count < 0 { throw Failure(step: "recv", code: errno) }
      if count == 0 { break }
      received += chunk[..<count]
    }
    return try parse(String(decoding: received, as: UTF8.self))
  }

  private static func parse(_ text: String) throws -> Answer {
    let separator = Array("\r\n\r\n".utf8)
    let bytes = Array(text.utf8)
    guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: separator) }),
      let status = Int(text.dropFirst(9).prefix(3))
    else { throw Failure(step: "parse", code: 0) }
    return Answer(
      status: status, head: String(decoding: bytes[..<end], as: UTF8.self) + "\r\n",
      body: String(decoding: bytes[(end + 4)...], as: UTF8.self))
  }
}
