/// An answer. `Content-Length`, `Connection`, `Date` and `X-Request-Id` are the server's to write.
package struct Response: Sendable {
  package var status: Int
  package var headers: Headers
  package var body: [UInt8]

  package init(status: Int, headers: Headers = Headers(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
