import Foundation
import JSON

/// One keep-alive connection to a server on this machine, used by one thread: a request, then its response.
final class HTTPWire {
  struct Answer {
    let status: Int
    let body: [UInt8]

    var json: JSONObject { (try? JSON.parse(body))?.object ?? [:] }
  }

  private let port: Int
  private let socket: Int32
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  init(port: Int) throws(BenchError) {
    self.port = port
    socket = try Loopback.connect(port: port)
  }

  deinit { close(socket) }

  func call(
    _ method: String, _ path: String, headers: [String] = [], body: String? = nil
  ) throws(BenchError) -> Answer {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers
    if let body { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
    try send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    return try receive()
  }

  /// The body of a call that has to succeed.
  @discardableResult
  func get(_ path: String) throws(BenchError) -> JSONObject { try succeeding("GET", path) }

  @discardableResult
  func post(_ path: String) throws(BenchError) -> JSONObject { try succeeding("POST", path) }

  private func succeeding(_ method: String, _ path: String) throws(BenchError) -> JSONObject {
    let answer = try call(method, path, body: method == "POST" ? "{}" : nil)
    guard answer.status == 200 else { throw BenchError("\(method) \(path): \(answer.status)") }
    return answer.json
  }

  private func send(_ text: String) throws(BenchError) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw BenchError("port \(port) closed the connection") }
      sent += count
    }
  }

  private func receive() throws(BenchError) -> Answer {
    var filled = 0
    while true {
      if filled == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
      let count = buffer[filled...].withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { throw BenchError("port \(port) closed the connection") }
      filled += count
      if let frame = buffer.withUnsafeBufferPointer({ ResponseFrame($0, count: filled) }) {
        return Answer(status: frame.status, body: Array(buffer[frame.bodyStart..<frame.end]))
      }
    }
  }
}
