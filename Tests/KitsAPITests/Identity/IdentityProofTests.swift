import Crypto
import Foundation
import JSON
import KitsCore
import KitsStore
import Testing

@testable import KitsAPI

/// The state table of `docs/identity.md`, rows 20 to 27: what a proof is worth.
@Suite("Proofs of identity", .serialized)
struct IdentityProofTests {
  @Test(
    "K17, K24, row 20: a refused token binds nobody, is told no cause, and the operator can count it",
    arguments: [
      "bad_character", "not_three_parts", "too_long", "kid_unknown", "signature_wrong", "iss_wrong", "issued_in_future",
      "lifetime_out_of_range",
    ])
  func refused(_ cause: String) async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    let token: String =
      switch cause {
      case "bad_character": "a b.c.d"
      case "not_three_parts": "abc"
      case "too_long": String(repeating: "a", count: 8_193)
      case "kid_unknown": try scene.token("alice", keyID: "key-9")
      case "signature_wrong": try scene.token("alice", by: TokenForge())
      case "iss_wrong": try scene.token("alice", app: scene.tenant.environment.text)
      case "issued_in_future": try scene.token("alice", issued: -90)
      default: try scene.token("alice", lives: 3_601)
      }
    let reply = try await device.login(token: token)
    #expect(reply.outcome == "401 IDENTITY_TOKEN_INVALID")
    #expect(reply.header("WWW-Authenticate") == "Bearer")
    #expect(!String(decoding: reply.body, as: UTF8.self).contains(cause))
    #expect(try await scene.rejections() == [cause: 1])
    #expect(try await device.binding().text == "nobody #1")
    #expect(
      scene.running.events.all.contains {
        if case .identityProofRefused(cause, overlooked: false) = $0 { true } else { false }
      })
  }

  @Test("SEC-J18, K20, row 21: a key is refused by every node as soon as it is revoked")
  func revoked() async throws {
    let node = try await RunningAPI.shared.value
    let scene = try await IdentityScene.make(.verified, node)
    let other = try RunningAPI(sharing: node)
    let device = try await scene.device()
    let there = Device(running: other, id: device.id, token: device.token)
    // Both nodes have seen the key.
    #expect(try await device.login(token: scene.token("alice")).status == 200)
    #expect(try await there.login(token: scene.token("bob")).status == 200)
    try await scene.revoke()
    for device in [device, there] {
      #expect(try await device.login(token: scene.token("carol")).outcome == "401 IDENTITY_TOKEN_INVALID")
    }
    #expect(try await scene.rejections() == ["key_revoked": 2])
    #expect(try await device.binding().text == "bob verified #3")
  }

  @Test("Row 22: a proof that is older than the erasure of its user asks for a fresh one, which is taken")
  func erased() async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    try await scene.bury("alice", at: "now() - interval '30 seconds'")
    #expect(
      try await device.login(token: scene.token("alice", issued: 60)).outcome == "401 IDENTITY_TOKEN_EXPIRED")
    #expect(try await scene.rejections() == ["user_erased": 1])
    #expect(try await device.login(token: scene.token("bob", issued: 60)).outcome == "200 bound: bob verified #2")
    #expect(try await device.login(token: scene.token("alice")).outcome == "200 bound: alice verified #3")
  }

  @Test("K25, row 23: a legacy proof is good for its installation, binding and operation, once the door is VERIFIED")
  func legacy() async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    let (operation, binding) = (Device.operationID(), try await device.binding().id)
    let proof = try await LegacyDesk(scene).proof("alice", device, operation: operation, binding: binding)
    #expect(proof.hasPrefix("kitid1."))
    let reply = try await device.login(token: proof, operation: operation, expecting: binding)
    #expect(reply.outcome == "200 bound: alice verified #2")
    // Good for one operation: as a replay it is answered, for another one it is nothing.
    #expect(
      try await device.login(token: proof, operation: operation, expecting: binding).outcome
        == "200 bound replayed: alice verified #2")
    #expect(try await device.login(token: proof).outcome == "401 IDENTITY_TOKEN_INVALID")
  }

  @Test("K25, row 24: a legacy proof for anything else is refused and counted by cause")
  func legacyElsewhere() async throws {
    let scene = try await IdentityScene.make(.verified)
    let (device, other) = (try await scene.device(), try await scene.device())
    let desk = try await LegacyDesk(scene)
    let operation = Device.operationID()
    let proof = try await desk.proof("alice", device, operation: operation, binding: device.binding().id)
    #expect(
      try await other.login(token: proof, operation: operation, expecting: device.binding().id).outcome
        == "401 IDENTITY_TOKEN_INVALID")
    #expect(try await device.login(token: proof, operation: operation, expecting: Device.operationID()).status == 401)
    #expect(try await device.login(token: proof).status == 401)
    #expect(try await device.login(token: proof + "A", operation: operation).status == 401)
    #expect(try await device.login(token: Self.changed(proof), operation: operation).status == 401)
    #expect(
      try await scene.rejections() == [
        "proof_installation_wrong": 1, "proof_binding_wrong": 1, "proof_operation_wrong": 1, "proof_malformed": 1,
        "proof_mac_wrong": 1,
      ])
    let late = try await desk.proof("alice", device, operation: operation, binding: device.binding().id, ttl: 1)
    try await scene.bury("alice", at: "now() + interval '1 minute'")
    #expect(try await device.login(token: late, operation: operation).outcome == "401 IDENTITY_TOKEN_EXPIRED")
    #expect(try await device.binding().text == "nobody #1")
  }

  /// One bit of the user, which stands at the end of what is signed.
  private static func changed(_ proof: String) throws -> String {
    var bytes = try #require(Base64URL.decode(String(proof.dropFirst(LegacyProof.prefix.count))))
    bytes[bytes.count - SHA256.count - 1] ^= 1
    return LegacyProof.prefix + Base64URL.encode(bytes)
  }

  @Test("K17, K25, row 25: BASIC takes no legacy proof either")
  func legacyInBasic() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let operation = Device.operationID()
    let proof = try await LegacyDesk(scene).proof(
      "alice", device, operation: operation, binding: device.binding().id)
    #expect(
      try await device.login(token: proof, operation: operation).outcome == "409 IDENTITY_AUTH_MODE_CHANGED")
  }

  @Test("Row 26: in shadow a readable proof that fails still binds, unverified, and is counted")
  func shadow() async throws {
    let scene = try await IdentityScene.make(.shadow)
    let device = try await scene.device()
    let reply = try await device.login(token: scene.token("alice", by: TokenForge()))
    #expect(reply.outcome == "200 bound: alice #2")
    #expect(try await device.login(token: scene.token("bob", issued: 400)).outcome == "200 bound: bob #3")
    #expect(try await device.login(token: scene.token("bob")).outcome == "200 unchanged: bob verified #3")
    #expect(
      try await scene.rejections() == ["signature_wrong, let through": 1, "expired, let through": 1])
    let policy = try await device.running.send("GET", device.path + "/identity-policy", headers: device.bearer)
    #expect(policy.json["auth_mode"]?.string == "VERIFIED")
    #expect(try await device.login("alice").outcome == "409 IDENTITY_AUTH_MODE_CHANGED")
  }

  @Test("Row 27: in shadow a proof whose user can't be read is refused")
  func unreadableInShadow() async throws {
    let scene = try await IdentityScene.make(.shadow)
    let device = try await scene.device()
    #expect(try await device.login(token: "a.b.c").outcome == "401 IDENTITY_TOKEN_INVALID")
    let causes = try await scene.rejections()
    #expect(causes.count == 1 && causes.keys.allSatisfy { !$0.contains("let through") })
    #expect(try await device.binding().text == "nobody #1")
  }
}
