/// What a route accepts after the head.
package enum BodyKind: Sendable {
  /// A request with a body is answered 413 with a limit of 0.
  case none
  /// One of these media types, in UTF-8, not compressed; anything else is 415.
  case json(accepting: [String] = ["application/json"])
  case any

  /// Content-Encoding is refused for every kind: nothing here decompresses, and compressed bytes would dodge the limit.
  func accepts(_ headers: Headers) -> Bool {
    guard headers.first("Content-Encoding") == nil else { return false }
    guard case .json(let accepted) = self else { return true }
    let types = headers.all("Content-Type")
    guard types.count == 1, let type = MediaType(types[0]) else { return false }
    return accepted.contains { Headers.same($0, type.name) } && type.isUTF8
  }
}
