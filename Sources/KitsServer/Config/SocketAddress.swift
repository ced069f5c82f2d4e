import Glibc

/// An address to listen on: a literal IPv4 or IPv6 address and a port.
///
/// Names are refused, except `localhost`: what a name resolves to can change, and with it who can reach the port.
struct SocketAddress: Sendable, Equatable, CustomStringConvertible {
  enum Family: Sendable { case ipv4, ipv6 }

  /// Without brackets.
  let host: String
  /// 0 takes a free port.
  let port: UInt16
  let family: Family

  var description: String {
    family == .ipv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  var isLoopback: Bool { SocketAddress.isLoopback(host: host) }

  /// Reads `127.0.0.1:8080` or `[::1]:8080`; the error says which part is wrong.
  static func parse(_ text: String) throws(Malformed) -> SocketAddress {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { throw Malformed("has no port") }
    var host = String(text[..<colon])
    let port = try parsePort(text[text.utf8.index(after: colon)...])
    if host.hasPrefix("[") {
      guard host.hasSuffix("]") else { throw Malformed("has a port without digits, or no closing ]") }
      host = String(host.dropFirst().dropLast())
      guard isIPv6(host) else { throw Malformed("has no valid IPv6 address between the brackets") }
      return SocketAddress(host: host, port: port, family: .ipv6)
    }
    if host == "localhost" { host = "127.0.0.1" }
    if host.utf8.contains(UInt8(ascii: ":")) { throw Malformed("needs brackets around an IPv6 address") }
    guard isIPv4(host) else { throw Malformed("needs an IPv4 address, [IPv6] or localhost before the port") }
    return SocketAddress(host: host, port: port, family: .ipv4)
  }

  static func parsePort(_ digits: Substring) throws(Malformed) -> UInt16 {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
      throw Malformed("has a port that is no number")
    }
    guard digits.utf8.count <= 5, let port = UInt16(digits) else { throw Malformed("has a port above 65535") }
    return port
  }

  static func isIPv4(_ host: String) -> Bool {
    var address = in_addr()
    return !host.utf8.contains(0) && inet_pton(AF_INET, host, &address) == 1
  }

  static func isIPv6(_ host: String) -> Bool {
    var address = in6_addr()
    return !host.utf8.contains(0) && inet_pton(AF_INET6, host, &address) == 1
  }

  static func isLoopback(host: String) -> Bool {
    if host == "localhost" || (isIPv4(host) && host.hasPrefix("127.")) { return true }
    var address = in6_addr()
    guard inet_pton(AF_INET6, host, &address) == 1 else { return false }
    return withUnsafeBytes(of: &address) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
  }
}
