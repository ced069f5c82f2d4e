internal import HTTPServer
internal import KitsCore

extension Problem {
  /// What the HTTP server has against a request.
  init(_ fault: HTTPFault) {
    switch fault {
    case .notFound: self.init(.notFound, "There is no such path.")
    case .methodNotAllowed(let allow):
      self.init(.methodNotAllowed, "Allowed here: \(allow.map(\.rawValue).joined(separator: ", ")).")
    case .unsupportedMediaType:
      self.init(.unsupportedMediaType, "The body must be JSON in UTF-8, declared as such and not compressed.")
    case .payloadTooLarge(limit: 0): self.init(.bodyTooLarge, "This route takes no body.")
    case .payloadTooLarge(let limit): self.init(.bodyTooLarge, "The body may have at most \(limit) bytes.")
    case .uriTooLong: self.init(.uriTooLong, "The request target is too long.")
    case .headersTooLarge: self.init(.headersTooLarge, "The header block is too large or has too many fields.")
    case .badRequest(let reason): self.init(.badRequest, "The request is not well-formed: \(reason).")
    case .expectationFailed: self.init(.expectationFailed, "Only 100-continue can be expected.")
    case .timeout: self.init(.requestTimeout, "The headers or the body took too long.")
    case .notImplemented: self.init(.notImplemented, "The server doesn't know this method.")
    case .overloaded: self.init(.overloaded, "The server is at a limit. Try again a little later.")
    case .shuttingDown: self.init(.shuttingDown, "This server is stopping. Another connection will do.")
    }
  }
}
