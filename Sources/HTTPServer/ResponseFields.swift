internal import CMicrohttpd

/// The fields that go out with a response: ours, the fault's, and those of the application that may be sent.
struct ResponseFields {
  private(set) var fields: [(name: String, value: String)] = []
  /// Names of what was left out, for the observer.
  private(set) var dropped: [String] = []

  /// Written by the server or the library alone; a handler's own would contradict the framing.
  private static let reserved = [
    "Content-Length", "Transfer-Encoding", "Connection", "Date", "X-Request-Id", "Trailer",
  ]

  init(_ headers: Headers, requestID: String, closes: Bool) {
    for (name, value) in headers {
      if Self.isSendable(name, value) {
        fields.append((name, value))
      } else {
        dropped.append(name.utf8.allSatisfy(ASCII.isToken) ? name : "(not a token)")
      }
    }
    fields.append(("X-Request-Id", requestID))
    if closes { fields.append(("Connection", "close")) }
  }

  /// Looks at bytes: CR LF is a single `Character`, which a comparison of characters would miss. TAB is legal but the
  /// library refuses it.
  private static func isSendable(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(ASCII.isToken) && !value.utf8.contains(where: ASCII.isControl)
      && !value.isEmpty && !reserved.contains { Headers.same($0, name) }
  }

  /// The library's words, which it writes into its own status lines too.
  private static func reason(_ status: Int) -> String {
    MHD_get_reason_phrase_for(UInt32(clamping: status)).map { String(cString: $0) } ?? "Unknown"
  }

  /// The whole response as bytes, for the cases in which the library can't be asked any more. Always closes.
  static func serialized(_ response: Response, requestID: String) -> [UInt8] {
    let fields = ResponseFields(response.headers, requestID: requestID, closes: true).fields
    var text = "HTTP/1.1 \(response.status) \(reason(response.status))\r\n"
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    text += "Content-Length: \(response.body.count)\r\n\r\n"
    return Array(text.utf8) + response.body
  }
}
