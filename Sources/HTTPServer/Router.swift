/// Finds the route of a request by its raw path segments: an encoded form of a literal segment is another path, and an
/// encoded slash never ends a segment. Each parameter is decoded once, after its route was chosen, so a value with a
/// slash can't lead to another route than a plain one.
package struct Router: Sendable {
  package let routes: [Route]
  let fault: @Sendable (HTTPFault, String) -> Response
  private var nodes: [Node] = [Node()]

  private struct Node: Sendable {
    var literals: [String: Int] = [:]
    var parameter: Int?
    /// Indices into `routes`.
    var methods: [HTTPMethod: Int] = [:]
  }

  enum Match: Sendable {
    case route(Route, PathParameters)
    case fault(HTTPFault)
  }

  /// - Parameter fault: the response for each fault; it gets the request id, which the response's field has too.
  package init(_ routes: [Route], fault: @escaping @Sendable (HTTPFault, _ requestID: String) -> Response) {
    self.routes = routes
    self.fault = fault
    for (index, route) in routes.enumerated() { insert(route, at: index) }
  }

  func match(_ method: HTTPMethod, path: String) -> Match {
    guard let segments = Self.segments(path), let (node, values) = find(segments) else { return .fault(.notFound) }
    let methods = nodes[node].methods
    guard let index = methods[method] ?? (method == .head ? methods[.get] : nil) else {
      return .fault(.methodNotAllowed(allow: Self.allowed(methods)))
    }
    return decode(values, for: routes[index])
  }

  private func decode(_ values: [Substring], for route: Route) -> Match {
    let names = (Self.segments(route.pattern) ?? []).compactMap(Self.parameterName)
    var parameters: [(name: String, value: String)] = []
    for (name, raw) in zip(names, values) {
      guard let value = PercentCoding.decode(raw) else {
        return .fault(.badRequest(reason: "path parameter \(name) is not well-formed"))
      }
      // To anything that takes dot segments out before it matches, these would be another resource.
      guard value != ".", value != ".." else { return .fault(.notFound) }
      parameters.append((name, value))
    }
    return .route(route, PathParameters(parameters))
  }

  /// Literal segments win over parameters; the other branch is tried when the first leads nowhere.
  private func find(_ segments: [Substring]) -> (node: Int, values: [Substring])? {
    func walk(_ node: Int, _ depth: Int, _ values: [Substring]) -> (Int, [Substring])? {
      guard depth < segments.count else { return nodes[node].methods.isEmpty ? nil : (node, values) }
      let segment = segments[depth]
      if let next = nodes[node].literals[String(segment)], let found = walk(next, depth + 1, values) { return found }
      guard !segment.isEmpty, let next = nodes[node].parameter else { return nil }
      return walk(next, depth + 1, values + [segment])
    }
    return walk(0, 0, [])
  }

  private mutating func insert(_ route: Route, at index: Int) {
    guard let segments = Self.segments(route.pattern) else {
      preconditionFailure("a pattern starts with a slash: \(route.pattern)")
    }
    var node = 0
    for segment in segments {
      let isParameter = Self.parameterName(segment) != nil
      let known = isParameter ? nodes[node].parameter : nodes[node].literals[String(segment)]
      let next = known ?? nodes.count
      if known == nil {
        nodes.append(Node())
        if isParameter { nodes[node].parameter = next } else { nodes[node].literals[String(segment)] = next }
      }
      node = next
    }
    precondition(nodes[node].methods[route.method] == nil, "two routes for \(route.method) \(route.pattern)")
    nodes[node].methods[route.method] = index
  }

  private static func segments(_ path: String) -> [Substring]? {
    guard path.utf8.first == ASCII.slash else { return nil }
    let rest = path.dropFirst()
    return rest.isEmpty ? [] : rest.split(separator: "/", omittingEmptySubsequences: false)
  }

  private static func parameterName(_ segment: Substring) -> String? {
    segment.first == "{" && segment.last == "}" ? String(segment.dropFirst().dropLast()) : nil
  }

  private static func allowed(_ methods: [HTTPMethod: Int]) -> [HTTPMethod] {
    HTTPMethod.allCases.filter { methods[$0] != nil || ($0 == .head && methods[.get] != nil) }
  }
}
