/// One method on one pattern. A GET route answers HEAD too.
package struct Route: Sendable {
  package let method: HTTPMethod
  package let pattern: String
  package let bodyLimit: Int
  package let body: BodyKind
  let admit: @Sendable (RequestHead, PathParameters) -> Response?
  let handle: @Sendable (Request) async -> Response

  /// - Parameters:
  ///   - pattern: starts with `/`; a segment `{name}` is a parameter and matches any one non-empty segment.
  ///   - admit: runs when the head is complete and before the body is read, on a thread of the server, so it must not
  ///     block; a response refuses the request.
  package init(
    _ method: HTTPMethod, _ pattern: String, bodyLimit: Int = ServerLimits.defaultBodyBytes, body: BodyKind = .none,
    admit: @escaping @Sendable (RequestHead, PathParameters) -> Response? = { _, _ in nil },
    handle: @escaping @Sendable (Request) async -> Response
  ) {
    self.method = method
    self.pattern = pattern
    self.bodyLimit = bodyLimit
    self.body = body
    self.admit = admit
    self.handle = handle
  }

  /// The same route with more to pass: `check` runs after the route's own `admit`, still before the body is read, and
  /// `around` runs the handler, or doesn't.
  package func guarded(
    admit check: @escaping @Sendable (RequestHead) -> Response?,
    handle around: @escaping @Sendable (Request, @Sendable (Request) async -> Response) async -> Response
  ) -> Route {
    Route(
      method, pattern, bodyLimit: bodyLimit, body: body,
      admit: { [admit] head, parameters in admit(head, parameters) ?? check(head) },
      handle: { [handle] request in await around(request, handle) })
  }

  /// The most bytes that a request may bring: a route without a body takes none.
  var effectiveBodyLimit: Int {
    if case .none = body { 0 } else { bodyLimit }
  }
}
