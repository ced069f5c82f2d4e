/// How the body of a request is delimited, decided by the strictest reading: whatever two parsers could understand
/// differently is refused, and the connection with it.
enum Framing: Sendable, Equatable {
  case none
  case length(Int)
  case chunked

  static func decide(_ head: HeadReader, version: String, method: HTTPMethod) -> Result<Framing, Malformed> {
    switch decide(lengths: head.contentLengths, codings: head.transferCodings, version: version) {
    case .failure(let malformed): return .failure(malformed)
    case .success(let framing):
      guard framing == .none || method.mayCarryBody else {
        return .failure(Malformed("\(method.rawValue) has no body"))
      }
      return .success(framing)
    }
  }

  static func decide(lengths: [String], codings: [String], version: String) -> Result<Framing, Malformed> {
    guard lengths.count + codings.count <= 1 else {
      return .failure(Malformed("more than one Content-Length or Transfer-Encoding"))
    }
    if let coding = codings.first {
      guard Headers.same(coding, "chunked"), version == "HTTP/1.1" else {
        return .failure(Malformed("Transfer-Encoding is not chunked in HTTP/1.1"))
      }
      return .success(.chunked)
    }
    guard let text = lengths.first else { return .success(.none) }
    guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit), let length = Int(text) else {
      return .failure(Malformed("Content-Length is not a number"))
    }
    return .success(length == 0 ? .none : .length(length))
  }

  /// One non-empty Host in HTTP/1.1, at most one in HTTP/1.0, without bytes that end an authority.
  static func hostIsValid(_ hosts: [String], version: String) -> Bool {
    guard let host = hosts.first else { return version == "HTTP/1.0" }
    let forbidden: [UInt8] = [0x2f, 0x40, 0x2c, 0x3f, 0x23, 0x5c, ASCII.space, ASCII.tab]
    return hosts.count == 1 && !host.isEmpty && !host.utf8.contains { forbidden.contains($0) || $0 > 0x7e }
  }

  /// Trailers that would change framing, routing or credentials if a parser merged them into the head.
  static let forbiddenTrailers = ["Content-Length", "Transfer-Encoding", "Host", "Authorization"]
}
