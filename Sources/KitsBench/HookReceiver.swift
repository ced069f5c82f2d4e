import Foundation

/// A receiver of webhooks in a thread per connection: takes everything and counts it.
final class HookReceiver: Sendable {
  let port: Int
  private let taken = Locked(0)
  private static let answer = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)

  init() throws(BenchError) {
    let (listener, port) = try Loopback.listen()
    self.port = port
    // Both live as long as the process.
    Thread.detachNewThread { [self] in
      while true {
        let accepted = accept(listener, nil, nil)
        guard accepted >= 0 else { return }
        Thread.detachNewThread { self.serve(accepted) }
      }
    }
  }

  /// Requests so far.
  var count: Int { taken.withLock { $0 } }

  private func serve(_ connection: Int32) {
    defer { close(connection) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var filled = 0
    while true {
      let count = buffer[filled...].withUnsafeMutableBytes { recv(connection, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { return }
      filled += count
      guard isWhole(buffer[..<filled]) else {
        if filled == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
        continue
      }
      filled = 0
      taken.withLock { $0 += 1 }
      guard send(connection, Self.answer, Self.answer.count, Int32(MSG_NOSIGNAL)) > 0 else { return }
    }
  }

  /// The client sends a request only after the answer to the one before.
  private func isWhole(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
    let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
    let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
    return bytes.endIndex - end.upperBound >= Int(length?.dropFirst(15).trimmingCharacters(in: .whitespaces) ?? "") ?? 0
  }
}
