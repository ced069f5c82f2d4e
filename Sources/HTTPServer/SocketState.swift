internal import CMicrohttpd
internal import Glibc

/// What the kernel knows of a socket that the library doesn't tell.
struct SocketState {
  let bytesReceived: UInt64
  /// The peer has ended its side, and all that it sent was read.
  let isHalfClosed: Bool

  /// The kernel's TCP_CLOSE_WAIT.
  private static let closeWait: UInt8 = 8

  init(_ socket: Int32) {
    var info = kits_tcp_info()
    var size = socklen_t(MemoryLayout<kits_tcp_info>.size)
    let isKnown = getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0
    bytesReceived = isKnown ? info.received : 0
    isHalfClosed = isKnown && info.state == Self.closeWait && Self.isDrained(socket)
  }

  /// Nothing lies unread: a request that the server is merely late to read isn't lost.
  private static func isDrained(_ socket: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
  }
}
