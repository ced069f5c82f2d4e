import Foundation
import Glibc

/// One request on one connection, written byte by byte as the test says.
enum HTTPCall {
  static func send(_ bytes: [UInt8], port: Int) async throws -> Reply {
    try await withCheckedThrowingContinuation { continuation in
      // A thread of its own: the socket blocks.
      Thread.detachNewThread {
        continuation.resume(with: Result { try Reply(parsing: exchange(bytes, port: port)) })
      }
    }
  }

  static func bytes(
    _ method: String, _ target: String, headers: [(String, String)], body: [UInt8]?
  ) -> [UInt8] {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if let body { text += "Content-Length: \(body.count)\r\n" }
    return Array((text + "\r\n").utf8) + (body ?? [])
  }

  private struct SocketError: Error {
    let number: Int32
  }

  private static func exchange(_ bytes: [UInt8], port: Int) throws -> [UInt8] {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw SocketError(number: errno) }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw SocketError(number: errno) }
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { break }
      sent += count
    }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return answer }
      answer += buffer[..<count]
    }
  }
}
