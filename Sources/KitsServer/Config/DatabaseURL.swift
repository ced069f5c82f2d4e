/// Checks a PostgreSQL connection URL for the slips that libpq would report late or badly. The text itself goes to
/// libpq unchanged, as a secret, because it usually contains a password.
enum DatabaseURL {
  static func check(_ text: String) throws(Malformed) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw Malformed("contains a space or a control character")
    }
    let schemes = ["postgresql://", "postgres://"]
    guard let scheme = schemes.first(where: { text.hasPrefix($0) }) else {
      throw Malformed("must start with postgresql://")
    }
    let rest = text.dropFirst(scheme.count)
    let path = rest.prefix { $0 != "?" }
    let authority = path.prefix { $0 != "/" }
    let hosts = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    for host in hosts.split(separator: ",") where !host.hasSuffix("]") {
      guard let colon = host.lastIndex(of: ":") else { continue }
      let port = try SocketAddress.parsePort(host[host.index(after: colon)...])
      if port == 0 { throw Malformed("must not have port 0") }
    }
    let query = rest.dropFirst(path.count)
    guard path.dropFirst(authority.count).count > 1 || query.contains("dbname=") else {
      throw Malformed("names no database")
    }
    guard !hosts.isEmpty || query.contains("host=") else { throw Malformed("names no host") }
  }
}
