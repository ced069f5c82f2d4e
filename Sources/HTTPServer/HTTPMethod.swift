/// The closed list of methods; any other is answered 501 before a route is looked for.
package enum HTTPMethod: String, Sendable, Hashable, CaseIterable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
  case options = "OPTIONS"

  /// GET, HEAD and OPTIONS have no body here: one that carries bytes is most likely an attempt to desynchronise a
  /// proxy.
  var mayCarryBody: Bool {
    switch self {
    case .get, .head, .options: false
    case .post, .put, .patch, .delete: true
    }
  }
}
