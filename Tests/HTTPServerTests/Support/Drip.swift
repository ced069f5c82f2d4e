import CMicrohttpd
import Glibc
import TestSupport

@testable import HTTPServer

/// One byte every millisecond: a client that is never idle and never done.
enum Drip {
  /// Goes on until the peer has closed. The thread keeps the client open: its descriptor's number must not be given to
  /// another socket before that.
  static func start(_ client: RawClient) {
    let client = Unchecked(client)
    Thread.start {
      var byte: UInt8 = 0x78
      repeat { dawdle(milliseconds: 1) } while send(client.value.socket, &byte, 1, Int32(MSG_NOSIGNAL)) == 1
    }
  }
}
