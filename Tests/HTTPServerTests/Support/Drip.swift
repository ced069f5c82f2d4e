import Glibc

/// One byte every millisecond: a client that is never idle and never done.
enum Drip {
  /// - Returns: false once the peer has closed.
  static func byte(_ socket: Int32) -> Bool {
    usleep(1_000)
    var byte: UInt8 = 0x78
    return send(socket, &byte, 1, Int32(MSG_NOSIGNAL)) == 1
  }
}
