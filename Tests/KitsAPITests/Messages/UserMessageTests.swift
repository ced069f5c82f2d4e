import JSON
import KitsCore
import Postgres
import Testing

@testable import KitsAPI

@Suite("K26: messages for users")
struct UserMessageTests {
  private func environment(_ tenant: Tenant, mode: AuthMode, isShadow: Bool = false) async throws {
    try await tenant.running.pool.script(
      """
      UPDATE environment SET auth_mode = \(mode.rawValue), shadow = \(isShadow)
      WHERE environment_id = '\(tenant.environment.text)'
      """)
  }

  @Test("Unknown users are counted, in the order of the request, by validation too; repeated ids count once")
  func unmatched() async throws {
    let backend = try await Backend.make()
    try await backend.tenant.device().bind(to: "a")
    try await Tenant.make().device().bind(to: "foreign")
    let body = #"{"target":{"external_ids":["z","a","foreign","z","é","e\u0301"]},"title":"a"}"#
    let expected = try JSON.parse(Array(#"{"count":4,"sample":["z","foreign","é","e\u0301"]}"#.utf8))
    #expect(try await backend.validate(body).json["unmatched"] == expected)
    let created = try await backend.create(body)
    #expect(created.status == 201 && created.json["unmatched"] == expected)
    let read = try await backend.get("/v1/messages/\(try #require(created.json["id"]?.string))")
    #expect(read.json["unmatched"] == expected)
    #expect(read.json.at("target", "kind") == .string("external_ids"))
    #expect(read.json.at("target", "requested") == .integer(5))
  }

  @Test("20,000 users are taken in one call, and the sample holds the first 20")
  func many() async throws {
    let backend = try await Backend.make()
    let ids = (0..<20_000).map { "user-\($0)" }
    let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
    let reply = try await backend.create("{\"target\":{\"external_ids\":[\(list)]},\"title\":\"a\"}")
    #expect(reply.status == 201 && reply.json.at("unmatched", "count") == .integer(20_000))
    #expect(reply.json.at("unmatched", "sample")?.array?.compactMap(\.string) == Array(ids.prefix(20)))
  }

  @Test("A replay answers what the first call did, whoever logged in since")
  func replay() async throws {
    let backend = try await Backend.make()
    let device = try await backend.tenant.device()
    let body = #"{"target":{"external_ids":["a"]},"title":"a"}"#
    let first = try await backend.create(body, key: "k")
    try await device.bind(to: "a")
    let second = try await backend.create(body, key: "k")
    #expect(second.header("Idempotent-Replayed") == "true" && second.body == first.body)
    #expect(second.json.at("unmatched", "count") == .integer(1))
  }

  @Test(
    "verified_only is true by itself where a proof is needed and the target names users",
    arguments: [
      (AuthMode.basic, false, #"{"external_ids":["a"]}"#, "", false),
      (.verified, false, #"{"external_ids":["a"]}"#, "", true),
      (.verified, true, #"{"external_ids":["a"]}"#, "", false),
      (.verified, false, #"{"external_ids":["a"]}"#, #","verified_only":false"#, false),
      (.verified, false, #"{"external_ids":["a"]}"#, #","verified_only":null"#, true),
      (.verified, false, #"{"everyone":true}"#, "", false),
      (.basic, false, #"{"everyone":true}"#, #","verified_only":true"#, true),
    ])
  func verifiedOnly(mode: AuthMode, isShadow: Bool, target: String, field: String, expected: Bool) async throws {
    let backend = try await Backend.make()
    try await environment(backend.tenant, mode: mode, isShadow: isShadow)
    let created = try await backend.create("{\"target\":\(target),\"title\":\"a\"\(field)}")
    let id = try #require(created.json["id"]?.string)
    let read = try await backend.get("/v1/messages/\(id)")
    #expect(read.json["verified_only"] == .bool(expected))
    let fenced = try await backend.running.count(
      "SELECT count(*) FROM message WHERE message_id = '\(id)' AND fenced")
    #expect(fenced == (expected || target.contains("external_ids") ? 1 : 0))
  }

  @Test("With verified_only an unproven binding is not targeted, though its user is no stranger")
  func unproven() async throws {
    let backend = try await Backend.make()
    try await environment(backend.tenant, mode: .verified)
    for verified in [true, false] {
      let device = try await backend.tenant.device(
        #"{"platform":"ios","push_token":"\#(Tenant.pushToken())","permission":"authorized"}"#)
      try await device.bind(to: "a", verified: verified)
    }
    for (field, targeted) in [("", 1), (#","verified_only":false"#, 2)] {
      let created = try await backend.create(#"{"target":{"external_ids":["a"]},"title":"a"\#(field)}"#)
      #expect(created.json.at("unmatched", "count") == .integer(0))
      let read = try await backend.get("/v1/messages/\(try #require(created.json["id"]?.string))")
      #expect(read.json.at("ledger", "targeted") == .integer(Int64(targeted)))
    }
  }
}
