/// What the server itself has against a request; the application turns each into a response.
package enum HTTPFault: Sendable, Equatable {
  case notFound
  case methodNotAllowed(allow: [HTTPMethod])
  case unsupportedMediaType
  case payloadTooLarge(limit: Int)
  case uriTooLong
  case headersTooLarge
  case badRequest(reason: String)
  case expectationFailed
  /// The head or the body took longer than its deadline; the connection is closed after this answer.
  case timeout
  /// A method that no route of any server like this one has.
  case notImplemented
  case overloaded
  case shuttingDown

  /// The status that belongs to the fault, for the application to use.
  package var status: Int {
    switch self {
    case .badRequest: 400
    case .notFound: 404
    case .methodNotAllowed: 405
    case .timeout: 408
    case .payloadTooLarge: 413
    case .uriTooLong: 414
    case .unsupportedMediaType: 415
    case .expectationFailed: 417
    case .headersTooLarge: 431
    case .notImplemented: 501
    case .overloaded, .shuttingDown: 503
    }
  }

  /// Fields that the protocol wants with the status, whatever the application answered.
  var requiredFields: [(name: String, value: String)] {
    switch self {
    case .methodNotAllowed(let allow): [("Allow", allow.map(\.rawValue).joined(separator: ", "))]
    case .overloaded, .shuttingDown: [("Retry-After", "1")]
    case .badRequest, .notFound, .timeout, .payloadTooLarge, .uriTooLong, .unsupportedMediaType, .expectationFailed,
      .headersTooLarge, .notImplemented:
      []
    }
  }
}
