import CMicrohttpd
import Glibc

@testable import HTTPServer

/// A blocking TCP client that sends what it is told, byte for byte. Every receive gives up after `patience`.
final class RawClient {
  let socket: Int32
  private var buffered: [UInt8] = []
  private static let patience = timeval(tv_sec: 20, tv_usec: 0)

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  struct Answer: Equatable {
    var status: Int
    /// What stands behind the status.
    var reason: String
    var headers: [(name: String, value: String)]
    var body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }

    /// Whether the body of a fault has the id of the field.
    var tellsItsID: Bool {
      first("X-Request-Id").map { RequestIDs.isValid($0) && text.contains("\"request_id\":\"\($0)\"") } ?? false
    }

    func first(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    static func == (left: Answer, right: Answer) -> Bool { left.status == right.status && left.body == right.body }
  }

  init(port: Int, receiveBuffer: Int32? = nil) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var patience = Self.patience
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    if var size = receiveBuffer {
      setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw Failure(description: "connect: \(errno)") }
  }

  deinit { close(socket) }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(description: "send: \(errno)") }
      sent += count
    }
  }

  /// No more bytes from this side.
  func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

  /// Closes with a reset instead of a proper end.
  func reset() {
    var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
  }

  /// The next whole answer, or nil when the connection ended before one began.
  func answer(toHead isHead: Bool = false) throws -> Answer? {
    while true {
      guard let end = endOfHead() else {
        guard try more() else {
          guard buffered.isEmpty else {
            throw Failure(description: "half an answer: \(String(decoding: buffered.prefix(300), as: UTF8.self))")
          }
          return nil
        }
        continue
      }
      var answer = try parseHead(buffered[..<end])
      buffered.removeFirst(end)
      if answer.status == 100 { continue }
      let length = isHead ? 0 : answer.first("Content-Length").flatMap { Int($0) } ?? 0
      while buffered.count < length {
        guard try more() else { throw Failure(description: "body cut at \(buffered.count) of \(length)") }
      }
      answer.body = Array(buffered.prefix(length))
      buffered.removeFirst(length)
      return answer
    }
  }

  func answers() throws -> [Answer] {
    var all: [Answer] = []
    while let answer = try answer() { all.append(answer) }
    return all
  }

  /// True when the peer ended the connection and nothing more came before that.
  func isEnded() throws -> Bool {
    guard buffered.isEmpty else { return false }
    return try !more()
  }

  /// Waits for the first bytes of whatever comes.
  func readSome() throws -> Bool { try more() }

  private func more() throws -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &chunk, chunk.count, 0)
    if count < 0 {
      guard errno == ECONNRESET else { throw Failure(description: "recv: \(errno), got \(buffered.count) bytes") }
      return false
    }
    buffered += chunk[..<count]
    return count > 0
  }

  private func endOfHead() -> Int? {
    guard buffered.count >= 4 else { return nil }
    for index in 0...(buffered.count - 4) where buffered[index..<index + 4].elementsEqual([13, 10, 13, 10]) {
      return index + 4
    }
    return nil
  }

  private func parseHead(_ bytes: ArraySlice<UInt8>) throws -> Answer {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    guard let first = lines.first, first.hasPrefix("HTTP/1."), let status = Int(first.dropFirst(9).prefix(3)) else {
      throw Failure(description: "no status line: \(lines.first ?? "")")
    }
    let headers = lines.dropFirst().map { line in
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      return (name: String(line[..<colon]), value: line[colon...].dropFirst().drop { $0 == " " })
    }
    return Answer(
      status: status, reason: String(first.dropFirst(13)), headers: headers.map { ($0.name, String($0.value)) },
      body: [])
  }
}
