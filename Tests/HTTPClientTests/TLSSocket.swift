import Glibc
import HTTPClient

@testable import APNsSimulator

/// The server's end of a TLS connection, with the simulator's authority and certificate.
///
/// `@unchecked Sendable`: the OpenSSL object is only used under the lock; threads wait for the socket outside of it.
final class TLSSocket: @unchecked Sendable {
  private static let authority = Result { try TestAuthority() }
  /// What clients must trust.
  static var anchors: TrustAnchors? {
    (try? authority.get()).flatMap { try? TrustAnchors(Array($0.certificatePEM.utf8)) }
  }

  private let socket: Int32
  private let context: TLSContext
  private let lock = Locked(0)
  private let ssl: OpaquePointer

  init(_ socket: Int32) throws {
    // OpenSSL writes without MSG_NOSIGNAL; the client's own threads block the signal.
    signal(SIGPIPE, SIG_IGN)
    self.socket = socket
    _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
    context = try TLSContext(try Self.authority.get().server)
    ssl = try context.accept(socket: socket)
  }

  func read(_ count: Int) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: count)
    var have = 0
    while have < count {
      let (got, reason) = lock.withLock { _ in
        let got = buffer.withUnsafeMutableBytes { sslRead(ssl, $0.baseAddress! + have, Int32(count - have)) }
        return (got, got > 0 ? 0 : sslError(ssl, got))
      }
      guard got > 0 || wait(reason) else { return nil }
      have += Int(max(0, got))
    }
    return buffer
  }

  func write(_ bytes: [UInt8]) {
    while true {
      let (sent, reason) = lock.withLock { _ in
        let sent = bytes.withUnsafeBytes { sslWrite(ssl, $0.baseAddress!, Int32($0.count)) }
        return (sent, sent > 0 ? 0 : sslError(ssl, sent))
      }
      // The simulator's contexts allow partial writes; what is left goes next.
      if sent == bytes.count { return }
      if sent > 0 { return write(Array(bytes.dropFirst(Int(sent)))) }
      guard wait(reason) else { return }
    }
  }

  /// By RST or by FIN; the descriptor is closed by RST only.
  func hangUp(reset: Bool) {
    guard reset else { return _ = shutdown(socket, Int32(SHUT_RDWR)) }
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close(socket)
  }

  private func wait(_ reason: Int32) -> Bool {
    guard reason == 2 || reason == 3 else { return false }
    var entry = pollfd(fd: socket, events: Int16(reason == 2 ? POLLIN : POLLOUT), revents: 0)
    return poll(&entry, 1, 60_000) > 0 && entry.revents & Int16(POLLNVAL) == 0
  }
}

@_silgen_name("SSL_read") private func sslRead(_: OpaquePointer, _: UnsafeMutableRawPointer, _: Int32) -> Int32
@_silgen_name("SSL_write") private func sslWrite(_: OpaquePointer, _: UnsafeRawPointer, _: Int32) -> Int32
@_silgen_name("SSL_get_error") private func sslError(_: OpaquePointer, _: Int32) -> Int32
