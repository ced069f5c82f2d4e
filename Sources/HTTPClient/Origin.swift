/// Where connections go: host and port, always with TLS. (libcurl 7.88 can't use a clear-text HTTP/2 connection twice.)
package struct Origin: Sendable, Hashable, CustomStringConvertible {
  package let host: String
  package let port: Int

  /// `https://host[:port]`, port 443 by default.
  package init(_ text: String) throws(HTTPClientError) {
    guard let colon = text.range(of: "://"), text[..<colon.lowerBound].lowercased() == "https" else {
      throw .invalidOrigin(text)
    }
    let (host, port) = try Self.split(text[colon.upperBound...], of: text)
    guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte) else { throw .invalidOrigin(text) }
    self.host = host.lowercased()
    self.port = port ?? 443
  }

  package var description: String { "https://\(host):\(port)" }

  /// Splits `host[:port]` or `[v6]:port`; a trailing slash is allowed.
  private static func split(_ rest: Substring, of text: String) throws(HTTPClientError) -> (String, Int?) {
    let authority = rest.hasSuffix("/") ? rest.dropLast() : rest
    let closing = authority.lastIndex(of: "]") ?? authority.startIndex
    guard let colon = authority[closing...].lastIndex(of: ":") else { return (String(authority), nil) }
    guard let port = Int(authority[authority.index(after: colon)...]), (1...65_535).contains(port) else {
      throw .invalidOrigin(text)
    }
    return (String(authority[..<colon]), port)
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "["),
      UInt8(ascii: "]"), UInt8(ascii: ":"):
      true
    default: false
    }
  }
}

extension String {
  /// The first occurrence of `needle`, without Foundation.
  func range(of needle: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(needle) { return start..<index(start, offsetBy: needle.count) }
      start = index(after: start)
    }
    return nil
  }
}
