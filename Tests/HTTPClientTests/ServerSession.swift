import HTTPClient

/// One connection of the scripted server. Its frames may be sent from any thread.
final class ServerSession: Sendable {
  let number: Int
  private let socket: TLSSocket
  private let server: ScriptedServer
  private let open = Locked<Set<Int32>>([])

  init(socket: TLSSocket, number: Int, server: ScriptedServer) {
    self.socket = socket
    self.number = number
    self.server = server
  }

  // MARK: - What scripts do

  func settings(maxStreams: UInt32? = nil) {
    var payload: [UInt8] = []
    if let maxStreams { payload += [0, 3] + bytes(maxStreams) }
    frame(4, flags: 0, stream: 0, payload)
  }

  /// An answer; the body is cut into frames of `chunk` bytes.
  func respond(_ stream: Int32, _ status: Int = 200, _ body: String = "", chunk: Int = 16_384) {
    let content = Array(body.utf8)
    closeStream(stream)
    let digits = Array(String(status).utf8)
    let header: [UInt8] = status == 200 ? [0x88] : [0x08, UInt8(digits.count)] + digits
    frame(1, flags: content.isEmpty ? 0x5 : 0x4, stream: stream, header)
    for start in stride(from: 0, to: content.count, by: chunk) {
      let end = min(start + chunk, content.count)
      frame(0, flags: end == content.count ? 1 : 0, stream: stream, Array(content[start..<end]))
    }
  }

  func reset(_ stream: Int32, code: UInt32) {
    closeStream(stream)
    frame(3, flags: 0, stream: stream, bytes(code))
  }

  func goAway(last: Int32, code: UInt32 = 0, debug: String = "") {
    frame(7, flags: 0, stream: 0, bytes(UInt32(last)) + bytes(code) + Array(debug.utf8))
  }

  /// Ends the connection at once; with `reset` by RST instead of FIN.
  func hangUp(reset: Bool = false) {
    socket.hangUp(reset: reset)
  }

  // MARK: - Reading

  func run(_ script: ScriptedServer.Script) {
    guard let preface = read(24), preface.starts(with: Array("PRI".utf8)) else { return }
    script(self, .opened)
    var bodies: [Int32: [UInt8]] = [:]
    while let head = read(9) {
      let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      let stream = Int32(head[5] & 0x7f) << 24 | Int32(head[6]) << 16 | Int32(head[7]) << 8 | Int32(head[8])
      guard let payload = read(length) else { return }
      switch head[3] {
      case 0:
        bodies[stream, default: []] += payload
        if length > 0 { frame(8, flags: 0, stream: 0, bytes(UInt32(length))) }
      case 1: openStream(stream)
      case 4 where head[4] & 1 == 0: frame(4, flags: 1, stream: 0, [])
      case 6 where head[4] & 1 == 0: frame(6, flags: 1, stream: 0, payload)
      default: break
      }
      if head[3] <= 1, head[4] & 1 != 0 {
        let body = String(decoding: bodies.removeValue(forKey: stream) ?? [], as: UTF8.self)
        server.change { $0.bodies.append(body) }
        script(self, .request(stream: stream, body: body))
      }
    }
  }

  private func openStream(_ stream: Int32) {
    let count = open.withLock { open in
      open.insert(stream)
      return open.count
    }
    server.change { $0.mostOpen = max($0.mostOpen, count) }
  }

  private func closeStream(_ stream: Int32) { open.withLock { _ = $0.remove(stream) } }

  private func frame(_ kind: UInt8, flags: UInt8, stream: Int32, _ payload: [UInt8]) {
    let length = payload.count
    let head = [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), kind, flags]
    let all = head + bytes(UInt32(stream)) + payload
    socket.write(all)
  }

  private func bytes(_ value: UInt32) -> [UInt8] {
    [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
  }

  private func read(_ count: Int) -> [UInt8]? {
    guard count > 0 else { return [] }
    return socket.read(count)
  }
}
