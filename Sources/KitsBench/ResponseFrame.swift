import Foundation

/// Where the first response in a buffer ends. Our own servers send a status line and Content-Length, nothing fancier.
struct ResponseFrame {
  let status: Int
  let bodyStart: Int
  let end: Int

  private static let lengthName = "content-length:"

  /// nil while it isn't complete.
  init?(_ buffer: UnsafeBufferPointer<UInt8>, count: Int) {
    // "HTTP/1.1 200"
    guard let bytes = buffer.baseAddress, count > 12 else { return nil }
    status = (9..<12).reduce(0) { $0 * 10 + Int(bytes[$1] & 0x0f) }
    var length = 0
    var at = 0
    while true {
      guard let feed = memchr(bytes + at, 0x0A, count - at) else { return nil }
      at = UnsafeRawPointer(feed) - UnsafeRawPointer(bytes) + 1
      guard at + 2 <= count else { return nil }
      if bytes[at] == 0x0D, bytes[at + 1] == 0x0A { break }
      let line = UnsafeRawPointer(bytes + at).assumingMemoryBound(to: CChar.self)
      if count - at > Self.lengthName.utf8.count, strncasecmp(line, Self.lengthName, Self.lengthName.utf8.count) == 0 {
        length = atol(line + Self.lengthName.utf8.count)
      }
    }
    bodyStart = at + 2
    end = bodyStart + length
    if end > count { return nil }
  }
}
