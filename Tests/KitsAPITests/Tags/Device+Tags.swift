import Foundation
import JSON
import Testing

extension Device {
  func tag(_ json: String) async throws -> Reply {
    try await running.send("PATCH", path + "/tags", headers: bearer, json: json)
  }

  /// - Parameter binding: that of now unless another one is given.
  func tag(
    _ values: [String: String], remove: [String]? = nil, expecting binding: String? = nil
  ) async throws -> Reply {
    var expected = binding
    if expected == nil { expected = try await self.binding().id }
    var body = JSONObject([
      ("expected_binding_id", .string(expected ?? "")),
      ("set", .object(JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))),
    ])
    if let remove { body["remove"] = .array(remove.map(JSONValue.string)) }
    return try await tag(String(decoding: JSON.write(.object(body)), as: UTF8.self))
  }

  /// What reading the installation tells.
  func tags() async throws -> [String: String] { try Self.tags(of: await read().json) }

  static func tags(of json: JSONValue) throws -> [String: String] {
    let members = try #require(json["tags"]?.object).members
    return Dictionary(members.map { ($0.key, $0.value.string ?? "?") }, uniquingKeysWith: { $1 })
  }

  func consent(_ collection: String, revision: Int) async throws {
    let reply = try await patch(#"{"state_revision":\#(revision),"collection":\#(collection)}"#)
    try #require(reply.status == 200)
  }
}
