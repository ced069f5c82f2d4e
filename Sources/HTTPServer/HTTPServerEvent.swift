/// What happened, for logs and metrics; nothing here holds a header value, a query or a body.
package enum HTTPServerEvent: Sendable {
  case listening(port: Int)
  case answered(AnsweredRequest)
  /// A deadline closed a connection.
  case deadlinePassed(Deadline, remoteAddress: String)
  /// A response field held a byte that may not be sent, or a name the server writes itself.
  case fieldDropped(name: String, requestID: String)
  /// A handler answered with a status outside 200…599; the client got 500.
  case statusReplaced(Int, requestID: String)
  /// libmicrohttpd's own words.
  case library(String)
  case draining(running: Int)
  case stopped(abandoned: Int)
}
