/// Everything known about a request before its body: what `admit` decides on.
package struct RequestHead: Sendable {
  package var method: HTTPMethod
  /// The path as it was sent, still percent-encoded, without the query; parameters are decoded one by one.
  package var path: String
  package var rawTarget: String
  /// Decoded pairs in their order; a name without `=` has an empty value.
  package var query: [(name: String, value: String)]
  package var headers: Headers
  /// The address of the peer without its port.
  package var remoteAddress: String
  /// The client's valid `X-Request-Id`, else a new one; always sent back.
  package var requestID: String

  package init(
    method: HTTPMethod, path: String, rawTarget: String, query: [(name: String, value: String)], headers: Headers,
    remoteAddress: String, requestID: String
  ) {
    self.method = method
    self.path = path
    self.rawTarget = rawTarget
    self.query = query
    self.headers = headers
    self.remoteAddress = remoteAddress
    self.requestID = requestID
  }
}
