import Foundation
import JSON
import Testing

extension Device {
  static func operationID() -> String { UUID().uuidString.lowercased() }

  struct Binding: Equatable, Sendable {
    let id: String
    let number: Int64
    let user: String?
    let isVerified: Bool

    /// `alice verified #2`, `nobody #1`.
    var text: String { "\(user ?? "nobody")\(isVerified ? " verified" : "") #\(number)" }

    struct Malformed: Error {}

    init(_ json: JSONValue?) throws {
      guard let id = json?["id"]?.string, let number = json?["number"]?.integer,
        let verified = json?["verified"]?.bool
      else { throw Malformed() }
      self.id = id
      self.number = number
      user = json?["external_id"]?.string
      isVerified = verified
    }
  }

  func identity(operation: String? = nil) async throws -> Reply {
    try await running.send("GET", path + "/identity" + (operation.map { "?operation_id=\($0)" } ?? ""), headers: bearer)
  }

  func binding() async throws -> Binding { try Binding(try await identity().json["binding"]) }

  func post(_ members: [(String, JSONValue)]) async throws -> Reply {
    var object = JSONObject()
    for (name, value) in members { object[name] = value }
    return try await running.send(
      "POST", path + "/identity", headers: bearer,
      json: String(decoding: JSON.canonical(.object(object)), as: UTF8.self))
  }

  /// What a request expects: the binding of now unless another one is given.
  private func members(
    _ operation: String, expecting binding: String?, revision: Int64?
  ) async throws -> [(String, JSONValue)] {
    var expected = binding
    if expected == nil { expected = try await self.binding().id }
    var members: [(String, JSONValue)] = [
      ("operation_id", .string(operation)), ("expected_binding_id", .string(expected ?? "")),
    ]
    if let revision { members.append(("expected_policy_revision", .integer(revision))) }
    return members
  }

  /// A login in BASIC.
  func login(
    _ user: String, operation: String = operationID(), expecting binding: String? = nil, revision: Int64? = nil
  ) async throws -> Reply {
    try await post(members(operation, expecting: binding, revision: revision) + [("external_id", .string(user))])
  }

  /// A login in VERIFIED.
  func login(
    token: String, operation: String = operationID(), expecting binding: String? = nil, revision: Int64? = nil
  ) async throws -> Reply {
    try await post(members(operation, expecting: binding, revision: revision) + [("token", .string(token))])
  }

  func logout(
    operation: String = operationID(), expecting binding: String? = nil, revision: Int64? = nil
  ) async throws -> Reply {
    try await post(members(operation, expecting: binding, revision: revision))
  }

  /// What belongs to a user and goes with the binding.
  func furnish() async throws {
    try await running.run(
      "UPDATE installation SET tags = '{\"plan\": \"pro\"}', customer_user_id = 'c-1' WHERE installation_id = '\(id)'")
  }

  /// Whether tags and the customer's id are there: `true` for both, `false` for neither.
  func isFurnished() async throws -> Bool {
    let count = try await running.count(
      """
      SELECT (tags <> '{}')::integer::bigint + (customer_user_id IS NOT NULL)::integer
      FROM installation WHERE installation_id = '\(id)'
      """)
    try #require(count != 1)
    return count == 2
  }
}

extension Reply {
  /// `200 bound: alice verified #2`, with `replayed` where it is one; of a problem its status and code, and the binding
  /// when it tells it.
  var outcome: String {
    let binding = (try? Device.Binding(json["binding"])).map { ": " + $0.text } ?? ""
    let replayed = json["replayed"]?.bool == true ? " replayed" : ""
    return "\(status) \(json["result"]?.string ?? code ?? "?")\(replayed)\(binding)"
  }

  var bindingID: String? { json.at("binding", "id")?.string }
}
