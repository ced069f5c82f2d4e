/// A request target taken apart: the path stays as it was sent, the query is decoded.
struct Target: Sendable {
  let path: String
  let query: [(name: String, value: String)]

  /// - Parameter raw: the whole target, already known to consist of bytes 0x21…0x7e.
  /// - Returns: a reason in words when the target can't be taken apart.
  static func parse(_ raw: String, method: HTTPMethod, host: String?) -> Result<Target, Malformed> {
    if raw == "*" {
      return method == .options
        ? .success(Target(path: "*", query: [])) : .failure(Malformed("target * without OPTIONS"))
    }
    guard let origin = raw.utf8.first == ASCII.slash ? raw[...] : afterAuthority(raw, host: host) else {
      return .failure(Malformed("target is neither a path nor an address of this host"))
    }
    let question = origin.firstIndex(of: "?")
    let path = origin[..<(question ?? origin.endIndex)]
    guard let question else { return .success(Target(path: String(path), query: [])) }
    guard let query = parseQuery(origin[origin.index(after: question)...]) else {
      return .failure(Malformed("query is not well-formed"))
    }
    return .success(Target(path: String(path), query: query))
  }

  /// The absolute form names the host twice; two different hosts in one request are refused.
  private static func afterAuthority(_ raw: String, host: String?) -> Substring? {
    for scheme in ["http://", "https://"] where raw.utf8.count > scheme.utf8.count {
      let head = raw.prefix(scheme.count)
      guard Headers.same(String(head), scheme) else { continue }
      let rest = raw.dropFirst(scheme.count)
      let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
      let authority = String(rest[..<end])
      guard !authority.isEmpty, host.map({ Headers.same($0, authority) }) ?? true else { return nil }
      let origin = rest[end...]
      return origin.utf8.first == ASCII.slash ? origin : "/" + origin
    }
    return nil
  }

  private static func parseQuery(_ text: Substring) -> [(name: String, value: String)]? {
    var query: [(name: String, value: String)] = []
    for pair in text.split(separator: "&") {
      let equals = pair.firstIndex(of: "=")
      let value = equals.map { pair[pair.index(after: $0)...] } ?? ""
      guard let name = PercentCoding.decode(pair[..<(equals ?? pair.endIndex)], plusIsSpace: true), !name.isEmpty,
        let value = PercentCoding.decode(value, plusIsSpace: true)
      else { return nil }
      query.append((name, value))
    }
    return query
  }
}
