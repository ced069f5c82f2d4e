import Crypto
import JSON
import KitsCore
import Postgres
import Testing

@testable import KitsAPI

@Suite("DELETE /v1/users/{external_id}")
struct EraseUserTests {
  /// A tenant with a device of the user, and a key that may erase.
  private func prepared(_ user: String) async throws -> (backend: Backend, device: Device) {
    let tenant = try await Tenant.make()
    let device = try await tenant.device(#"{"platform":"ios","customer_user_id":"mail@example.com"}"#)
    try await device.bind(to: user, verified: true)
    try await tenant.running.pool.script(
      "UPDATE installation SET tags = '{\"plan\":\"gold\"}' WHERE installation_id = '\(device.id)'")
    return (try await Backend.make([.usersWrite, .messagesSend, .messagesRead], of: tenant), device)
  }

  private func zeros(_ reply: Reply) -> Bool {
    ["installations", "operations", "messages_scrubbed"].allSatisfy { reply.json[$0] == .integer(0) }
  }

  @Test("What was bound becomes anonymous under a new binding, without tags and customer_user_id")
  func unbinds() async throws {
    let (backend, device) = try await prepared("u")
    let before = try await device.standing()
    let other = try await backend.tenant.device()
    try await other.bind(to: "v")
    let untouched = try await other.standing()
    let reply = try await backend.delete("/v1/users/u")
    #expect(reply.status == 200 && reply.header("Cache-Control") == "no-store")
    #expect(reply.json.object?.keys == ["installations", "operations", "messages_scrubbed", "erased_at"])
    #expect(reply.json["installations"] == .integer(1) && reply.json["operations"] == .integer(0))
    let after = try await device.read().json
    #expect(after.at("binding", "external_id") == .null && after.at("binding", "verified") == .bool(false))
    #expect(after.at("binding", "number")?.integer == before["number"]?.integer.map { $0 + 1 })
    #expect(after.at("binding", "id") != before["id"] && after["customer_user_id"] == .null)
    let tagged = try await backend.running.count(
      "SELECT count(*) FROM installation WHERE installation_id = '\(device.id)' AND tags <> '{}'")
    #expect(tagged == 0)
    #expect(try await other.standing() == untouched)
    #expect(try await Backend.make([.usersRead], of: backend.tenant).get("/v1/users/u").status == 404)
  }

  @Test("A second erasure answers zeros, and so does that of a user who was never there")
  func repeated() async throws {
    let (backend, _) = try await prepared("u")
    _ = try await backend.delete("/v1/users/u")
    for user in ["u", "never"] {
      let reply = try await backend.delete("/v1/users/\(user)")
      #expect(reply.status == 200 && zeros(reply) && reply.json["erased_at"]?.string != nil)
    }
  }

  @Test("Its operations are forgotten, and so is its name in the answers to others")
  func operations() async throws {
    let (backend, device) = try await prepared("u")
    try await backend.running.pool.script(
      """
      INSERT INTO identity_operation (app_no, installation_no, operation_id, kind, external_id, status,
        policy_revision, binding_id, binding_number, bound_external_id, verified, changed_at)
      SELECT i.app_no, i.installation_no, gen_random_uuid(), v.kind, v.external_id, v.status, 1, i.binding_id,
        i.binding_number, v.bound, false, now()
      FROM installation i
      CROSS JOIN (VALUES (1, 'u', 1, 'u'), (1, 'u', 3, 'v'), (1, 'v', 3, 'u'), (2, NULL, 3, 'u'), (1, 'v', 1, 'v'))
        AS v (kind, external_id, status, bound)
      WHERE i.installation_id = '\(device.id)'
      """)
    let reply = try await backend.delete("/v1/users/u")
    #expect(reply.json["operations"] == .integer(4))
    let rows = "FROM identity_operation JOIN installation USING (app_no, installation_no)"
    let mine = "WHERE installation_id = '\(device.id)'"
    #expect(try await backend.running.count("SELECT count(*) \(rows) \(mine)") == 3)
    let left = "o.external_id = 'u' OR o.bound_external_id = 'u'"
    let named = try await backend.running.count(
      """
      SELECT count(*) FROM identity_operation o JOIN installation i USING (app_no, installation_no)
      WHERE i.installation_id = '\(device.id)' AND (\(left))
      """)
    #expect(named == 0)
  }

  @Test("A message that couldn't find the user doesn't name it any more, in a replay neither")
  func messages() async throws {
    let (backend, device) = try await prepared("other")
    _ = device
    let body = #"{"target":{"external_ids":["u","other","w"]},"title":"a"}"#
    let created = try await backend.create(body, key: "k1")
    #expect(created.status == 201)
    #expect(created.json["unmatched"] == (try JSON.parse(Array(#"{"count":2,"sample":["u","w"]}"#.utf8))))
    let id = try #require(created.json["id"]?.string)
    let reply = try await backend.delete("/v1/users/u")
    #expect(reply.json["messages_scrubbed"] == .integer(1) && reply.json["installations"] == .integer(0))
    let expected = try JSON.parse(Array(#"{"count":2,"sample":["w"]}"#.utf8))
    #expect(try await backend.get("/v1/messages/\(id)").json["unmatched"] == expected)
    #expect(try await backend.create(body, key: "k1").json["unmatched"] == expected)
  }

  @Test("A tombstone holds a hash, and the audit log has the erasure under that hash")
  func tombstone() async throws {
    let (backend, _) = try await prepared("u")
    let reply = try await backend.delete("/v1/users/u")
    let environment = backend.tenant.environment.text
    let hash = Hex.encode(SHA256.hash(Array("\(environment)\0u".utf8)))
    let stones = try await backend.running.count(
      """
      SELECT count(*) FROM erased_user JOIN environment USING (environment_no)
      WHERE environment_id = '\(environment)' AND user_hash = '\\x\(hash)'
      """)
    #expect(stones == 1)
    let entries = try await backend.running.count(
      """
      SELECT count(*) FROM audit_entry JOIN environment USING (environment_no)
      WHERE environment_id = '\(environment)' AND action = 'user.erased' AND target_kind = 'user'
        AND target_id = '\(hash)' AND actor_kind = 2 AND actor_id = '\(backend.keyID.text)' AND refusal IS NULL
        AND request_id = '\(reply.header("X-Request-Id") ?? "")'
        AND changes = '{"installations":[1,0],"operations":[0,0],"messages":[0,0]}'
      """)
    #expect(entries == 1)
  }

  @Test("Users of the same name in another environment are left alone")
  func otherEnvironment() async throws {
    let (backend, device) = try await prepared("u")
    let stranger = try await prepared("u")
    let before = try await device.standing()
    #expect(try await stranger.backend.delete("/v1/users/u").json["installations"] == .integer(1))
    #expect(try await device.standing() == before)
    #expect(try await backend.delete("/v1/users/u").json["installations"] == .integer(1))
  }

  @Test("All apps of the environment are searched")
  func allApps() async throws {
    let (backend, device) = try await prepared("u")
    let second = try await backend.addApp()
    let moved = try await backend.tenant.device()
    try await moved.bind(to: "u")
    try await backend.running.pool.script(
      """
      UPDATE installation SET app_no = (SELECT app_no FROM app WHERE app_id = '\(second.text)')
      WHERE installation_id = '\(moved.id)'
      """)
    #expect(try await backend.delete("/v1/users/u").json["installations"] == .integer(2))
    #expect(try await device.standing()["external_id"] == .null)
  }

  @Test("An id that breaks the rules is not found, and a key without the scope is refused")
  func refused() async throws {
    let (backend, _) = try await prepared("u")
    #expect(try await backend.delete("/v1/users/%C2%85").status == 404)
    #expect(try await backend.delete("/v1/users/a%07").status == 400)
    let reader = try await Backend.make([.usersRead], of: backend.tenant)
    let reply = try await reader.delete("/v1/users/u")
    #expect(reply.status == 403 && reply.code == "SCOPE_MISSING")
    #expect(try await backend.delete("/v1/users/u?all=1").status == 400)
  }
}
