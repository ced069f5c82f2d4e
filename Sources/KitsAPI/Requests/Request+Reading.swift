internal import HTTPServer
internal import JSON
internal import KitsCore

extension Request {
  /// The body of every POST and PATCH is one JSON object.
  func object() throws(Problem) -> JSONValue {
    let value: JSONValue
    do {
      value = try JSON.parse(body, maxDepth: Limits.jsonDepth)
    } catch {
      throw Problem(error)
    }
    guard case .object = value else { throw Problem(.invalidJSON, "The body must be a JSON object.") }
    return value
  }

  /// The id in the path; what isn't a UUID names nothing.
  func id<Entity>(_ type: Identifier<Entity>.Type = Identifier<Entity>.self) throws(Problem) -> Identifier<Entity> {
    guard let id = Identifier<Entity>(parsing: parameters["id"]) else { throw .notFound }
    return id
  }
}
