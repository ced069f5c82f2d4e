/// Why the server could not start.
package enum HTTPServerError: Error, Sendable, Equatable {
  case addressInvalid(String)
  case addressInUse(host: String, port: Int)
  case listenFailed(code: Int32)
  case libraryRefused
  /// A server starts once; make another one.
  case alreadyStarted
}
