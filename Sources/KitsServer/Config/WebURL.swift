/// An http or https origin with an optional base path: what the configuration needs of a URL and no more.
///
/// User information, query and fragment are refused rather than ignored: each of them in a base URL is a mistake,
/// and the first would put a password into logs.
struct WebURL: Sendable, Equatable, CustomStringConvertible {
  enum Scheme: String, Sendable { case http, https }

  let scheme: Scheme
  /// Lower case; IPv6 without brackets.
  let host: String
  let port: UInt16?
  /// Empty, or a path that starts with `/` and doesn't end with one.
  let path: String

  var description: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return "\(scheme.rawValue)://\(name)\(port.map { ":\($0)" } ?? "")\(path)"
  }

  var isLoopback: Bool { SocketAddress.isLoopback(host: host) }

  static func parse(_ text: String) throws(Malformed) -> WebURL {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
      throw Malformed("contains a space, a control character or a character outside ASCII")
    }
    let (scheme, rest) = try splitScheme(text)
    if rest.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
      throw Malformed("must not have a query or fragment")
    }
    let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
    let authority = rest[..<slash]
    if authority.utf8.contains(UInt8(ascii: "@")) { throw Malformed("must not contain a user name or password") }
    let (host, port) = try splitAuthority(authority)
    var path = String(rest[slash...])
    while path.hasSuffix("/") { path.removeLast() }
    return WebURL(scheme: scheme, host: host, port: port, path: path)
  }

  private static func splitScheme(_ text: String) throws(Malformed) -> (Scheme, Substring) {
    let lowered = text.prefix(8).lowercased()
    if lowered.hasPrefix("https://") { return (.https, text.dropFirst(8)) }
    if lowered.hasPrefix("http://") { return (.http, text.dropFirst(7)) }
    throw Malformed("must start with https://")
  }

  private static func splitAuthority(_ authority: Substring) throws(Malformed) -> (String, UInt16?) {
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else { throw Malformed("has no closing ] after its address") }
      let host = String(authority[authority.index(after: authority.startIndex)..<close])
      guard SocketAddress.isIPv6(host) else { throw Malformed("has no valid IPv6 address between the brackets") }
      return (host.lowercased(), try portSuffix(authority[authority.index(after: close)...]))
    }
    let colon = authority.firstIndex(of: ":") ?? authority.endIndex
    let host = authority[..<colon].lowercased()
    try checkName(host)
    return (host, try portSuffix(authority[colon...]))
  }

  private static func portSuffix(_ text: Substring) throws(Malformed) -> UInt16? {
    if text.isEmpty { return nil }
    guard text.hasPrefix(":") else { throw Malformed("has something other than a port after its host") }
    let port = try SocketAddress.parsePort(text.dropFirst())
    if port == 0 { throw Malformed("must not have port 0") }
    return port
  }

  /// DNS names and IPv4 literals; labels of letters, digits and inner hyphens.
  static func checkName(_ host: String) throws(Malformed) {
    if host.isEmpty { throw Malformed("has no host") }
    if host.utf8.count > 253 { throw Malformed("has a host longer than 253 characters") }
    for label in host.split(separator: ".", omittingEmptySubsequences: false) {
      let isSound =
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
        && label.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
      if !isSound { throw Malformed("has a host that is no valid name") }
    }
  }
}
