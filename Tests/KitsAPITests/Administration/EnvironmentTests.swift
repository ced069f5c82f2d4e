import Crypto
import JSON
import KitsCore
import Testing

@testable import KitsAPI

@Suite("The policy of an environment", .serialized)
struct EnvironmentTests {
  private static let path = "/v1/environment"
  private static let members = [
    "id", "name", "auth_mode", "shadow", "policy_revision", "identifier_policy", "raw_identifiers", "apps",
  ]

  private func backend(_ scopes: [Scope] = [.environmentsWrite, .identityKeysWrite]) async throws -> Backend {
    try await Backend.make(scopes)
  }

  private func addKey(_ backend: Backend) async throws {
    let pem = P256PrivateKey().publicKey.spkiPEM.replacing("\n", with: "\\n")
    #expect(try await backend.post("/v1/identity-keys", #"{"key_id":"k","public_key":"\#(pem)"}"#).status == 201)
  }

  private func policy(_ reply: Reply) -> String {
    let json = reply.json
    let mode = json["auth_mode"]?.string ?? "?"
    return "\(mode) \(json["shadow"]?.bool == true) \(json["policy_revision"]?.integer ?? -1)"
  }

  @Test("Every server key of the environment may read it; it starts as BASIC (K17)")
  func reads() async throws {
    let backend = try await backend([.messagesRead])
    let reply = try await backend.get(Self.path)
    #expect(reply.status == 200)
    #expect(reply.json.object?.keys == Self.members)
    #expect(reply.json["id"]?.string == backend.tenant.environment.text)
    #expect(policy(reply) == "BASIC false 1")
    #expect(reply.json["identifier_policy"]?.string == "global")
    #expect(reply.json["raw_identifiers"]?.bool == false)
    #expect(reply.json["apps"]?.array?.compactMap { $0["id"]?.string } == [backend.tenant.app.text])
    #expect(reply.header("Cache-Control") == "no-store")
    #expect(try await backend.get(Self.path + "?a=1").code == "QUERY_INVALID")
  }

  @Test("The revision rises exactly with the mode and the shadow; BASIC ends the shadow; SDKs are told")
  func walk() async throws {
    let backend = try await backend()
    try await addKey(backend)
    for (patch, expected) in [
      (#"{"identifier_policy":"strict","raw_identifiers":true}"#, "BASIC false 1"),
      (#"{"auth_mode":"BASIC"}"#, "BASIC false 1"), ("{}", "BASIC false 1"),
      (#"{"auth_mode":"VERIFIED","shadow":true}"#, "VERIFIED true 2"), (#"{"shadow":true}"#, "VERIFIED true 2"),
      (#"{"shadow":false}"#, "VERIFIED false 3"), (#"{"auth_mode":"BASIC"}"#, "BASIC false 4"),
      (#"{"auth_mode":"VERIFIED"}"#, "VERIFIED false 5"), (#"{"shadow":true}"#, "VERIFIED true 6"),
      (#"{"auth_mode":"BASIC"}"#, "BASIC false 7"), (#"{"auth_mode":"BASIC","shadow":false}"#, "BASIC false 7"),
    ] {
      let reply = try await backend.patch(Self.path, patch)
      #expect(reply.status == 200)
      #expect(reply.json.object?.keys == Self.members)
      #expect(policy(reply) == expected, "\(patch)")
    }
    let read = try await backend.get(Self.path)
    #expect(read.json["identifier_policy"]?.string == "strict" && read.json["raw_identifiers"]?.bool == true)
    _ = try await backend.patch(Self.path, #"{"auth_mode":"VERIFIED","shadow":true}"#)
    let config = try await backend.running.send(
      "GET", "/v1/sdk/config", headers: [("X-Kits-Public-Key", backend.tenant.publicKey.text)])
    #expect(config.json["auth_mode"]?.string == "VERIFIED" && config.json["policy_revision"]?.integer == 8)
    #expect(config.json.at("identifiers", "policy")?.string == "strict")
  }

  @Test("A change is written down with what was before and after; what changes nothing isn't (SEC-G1)")
  func audited() async throws {
    let backend = try await backend()
    let entries = try await backend.tenant.entries {
      let reply = try await backend.patch(
        Self.path, #"{"auth_mode":"VERIFIED","shadow":true,"identifier_policy":"cn","raw_identifiers":false}"#)
      #expect(reply.status == 200)
      _ = try await backend.patch(Self.path, #"{"auth_mode":"VERIFIED"}"#)
    }
    try #require(entries.count == 1)
    let entry = entries[0]
    #expect(entry.action == "environment.changed" && entry.refusal == nil)
    #expect(entry.actor == .serverKey(backend.keyID, role: .owner))
    #expect(entry.targetKind == "environment" && entry.targetID == backend.tenant.environment.text)
    #expect(entry.requestID != nil)
    let changes = try #require(try JSON.parse(entry.changes).object)
    #expect(Set(changes.keys) == ["auth_mode", "shadow", "policy_revision", "identifier_policy"])
    #expect(changes["auth_mode"] == .array([.string("BASIC"), .string("VERIFIED")]))
    #expect(changes["shadow"] == .array([.bool(false), .bool(true)]))
    #expect(changes["policy_revision"] == .array([.integer(1), .integer(2)]))
    #expect(changes["identifier_policy"] == .array([.string("global"), .string("cn")]))
  }

  @Test("Tokens that no key could verify are asked for by force alone; a revoked key is none")
  func needsKey() async throws {
    let backend = try await backend()
    let refused = try await backend.patch(Self.path, #"{"auth_mode":"VERIFIED"}"#)
    #expect(refused.status == 422 && refused.faults == ["/auth_mode CONFLICT"])
    #expect(try await backend.patch(Self.path, #"{"auth_mode":"VERIFIED","shadow":true}"#).status == 200)
    let shadow = try await backend.patch(Self.path, #"{"shadow":false}"#)
    #expect(shadow.status == 422 && shadow.faults == ["/shadow CONFLICT"])
    try await addKey(backend)
    _ = try await backend.delete("/v1/identity-keys/k")
    #expect(try await backend.patch(Self.path, #"{"shadow":false}"#).status == 422)
    #expect(policy(try await backend.get(Self.path)) == "VERIFIED true 2")
    let forced = try await backend.patch(Self.path, #"{"shadow":false,"force":true}"#)
    #expect(policy(forced) == "VERIFIED false 3")
    // It asks for tokens already: nothing gets worse.
    #expect(try await backend.patch(Self.path, #"{"auth_mode":"VERIFIED","raw_identifiers":true}"#).status == 200)
    let entries = try await backend.tenant.audit().filter { $0.refusal != nil }
    #expect(entries.count == 3)
    #expect(entries.allSatisfy { $0.action == "environment.changed" && $0.refusal == "BODY_INVALID" })
  }

  @Test("BASIC has no shadow, and nothing of the change is made")
  func shadowOfBasic() async throws {
    let backend = try await backend()
    for patch in [#"{"shadow":true,"identifier_policy":"cn"}"#, #"{"auth_mode":"BASIC","shadow":true}"#] {
      let reply = try await backend.patch(Self.path, patch)
      #expect(reply.status == 422 && reply.faults == ["/shadow CONFLICT"])
    }
    #expect(try await backend.get(Self.path).json["identifier_policy"]?.string == "global")
  }

  @Test("An expected revision that moved is a conflict with the current one, and is written down")
  func expected() async throws {
    let backend = try await backend()
    let change = #"{"auth_mode":"VERIFIED","shadow":true,"expected_policy_revision":1}"#
    #expect(try await backend.patch(Self.path, change).status == 200)
    let entries = try await backend.tenant.entries {
      let again = try await backend.patch(Self.path, change)
      #expect(again.status == 409 && again.code == "IDENTITY_REBIND_CONFLICT")
      #expect(again.json["policy_revision"]?.integer == 2)
      #expect(again.json["retryable"]?.bool == false)
    }
    #expect(entries.map(\.refusal) == ["IDENTITY_REBIND_CONFLICT"])
  }

  @Test("Of 16 changes that expect the same revision one is made")
  func concurrent() async throws {
    let backend = try await backend()
    let statuses = try await withThrowingTaskGroup { group in
      for _ in 0..<16 {
        group.addTask {
          try await backend.patch(
            Self.path, #"{"auth_mode":"VERIFIED","shadow":true,"expected_policy_revision":1}"#
          ).status
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.sorted() == [200] + Array(repeating: 409, count: 15))
    #expect(policy(try await backend.get(Self.path)) == "VERIFIED true 2")
    let applied = try await backend.tenant.audit().filter { $0.action == "environment.changed" && $0.refusal == nil }
    #expect(applied.count == 1)
  }

  @Test("16 changes of the mode at once make as many revisions as there are entries")
  func revisions() async throws {
    let backend = try await backend()
    try await withThrowingTaskGroup { group in
      for number in 0..<16 {
        group.addTask {
          let change = number.isMultiple(of: 2) ? #""VERIFIED","shadow":true"# : #""BASIC""#
          let reply = try await backend.patch(Self.path, "{\"auth_mode\":\(change)}")
          #expect(reply.status == 200)
        }
      }
      try await group.waitForAll()
    }
    let entries = try await backend.tenant.audit().filter { $0.action == "environment.changed" }
    let revision = try await backend.get(Self.path).json["policy_revision"]?.integer
    #expect(revision == Int64(1 + entries.count))
  }

  @Test(
    "Fields are strict, all faults at once",
    arguments: [
      (#"{"auth_mode":"verified"}"#, ["/auth_mode NOT_ALLOWED"]),
      (#"{"auth_mode":null}"#, ["/auth_mode NULL_NOT_ALLOWED"]),
      (#"{"shadow":1,"identifier_policy":"all"}"#, ["/shadow WRONG_TYPE", "/identifier_policy NOT_ALLOWED"]),
      (#"{"policy_revision":9}"#, ["/policy_revision UNKNOWN_FIELD"]),
      (#"{"name":"x","apps":[],"id":"y"}"#, ["/name UNKNOWN_FIELD", "/apps UNKNOWN_FIELD", "/id UNKNOWN_FIELD"]),
      (#"{"expected_policy_revision":-1}"#, ["/expected_policy_revision TOO_SMALL"]),
      (#"{"expected_policy_revision":1.0}"#, ["/expected_policy_revision WRONG_TYPE"]),
    ])
  func strict(body: String, faults: [String]) async throws {
    let backend = try await backend()
    let reply = try await backend.patch(Self.path, body)
    #expect(reply.status == 422)
    #expect(reply.faults == faults)
  }
}
