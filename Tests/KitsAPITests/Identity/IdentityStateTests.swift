import Crypto
import JSON
import KitsCore
import Testing

@testable import KitsAPI

/// The state table of `docs/identity.md`, rows 1 to 13: logins and logouts of devices.
@Suite("Logging in and out", .serialized)
struct IdentityStateTests {
  @Test("K18, K21, row 1: BASIC binds an anonymous installation to the user it is told, unverified")
  func basicLogin() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    try await device.furnish()
    let before = try await device.binding()
    let reply = try await device.login("alice")
    #expect(reply.outcome == "200 bound: alice #2")
    #expect(reply.json["policy_revision"]?.integer == 1)
    #expect(reply.bindingID != before.id)
    #expect(try await device.binding() == Device.Binding(reply.json["binding"]))
    #expect(try await !device.isFurnished())
    #expect(reply.header("Cache-Control") == "no-store")
  }

  @Test("Row 2: a login of the user who is bound changes nothing and keeps the tags")
  func unchanged() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let bound = try await device.login("alice")
    try await device.furnish()
    let reply = try await device.login("alice")
    #expect(reply.outcome == "200 unchanged: alice #2")
    #expect(reply.json["binding"] == bound.json["binding"])
    #expect(try await device.isFurnished())
  }

  @Test("Row 3: a login of another user makes a new binding, and the tags of the one before go")
  func switchUser() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let alice = try await device.login("alice")
    try await device.furnish()
    let bob = try await device.login("bob")
    #expect(bob.outcome == "200 bound: bob #3")
    #expect(bob.bindingID != alice.bindingID)
    #expect(try await !device.isFurnished())
  }

  @Test("K27, row 4: a logout works in every mode and needs no policy", arguments: IdentityScene.Mode.allCases)
  func logout(_ mode: IdentityScene.Mode) async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    _ = try await device.login("alice")
    try await device.furnish()
    try await scene.turn(mode)
    #expect(try await device.logout().outcome == "200 logged_out: nobody #3")
    #expect(try await !device.isFurnished())
  }

  @Test("Row 5: a logout of an anonymous installation makes a new binding, so that an abandoned login loses")
  func barrier() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let before = try await device.binding()
    #expect(try await device.logout(expecting: before.id).outcome == "200 logged_out: nobody #2")
    let late = try await device.login("alice", expecting: before.id)
    #expect(late.outcome == "409 IDENTITY_REBIND_CONFLICT: nobody #2")
  }

  @Test("K19, row 6: VERIFIED binds the user of a token, verified")
  func verifiedLogin() async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    let reply = try await device.login(token: scene.token("alice"))
    #expect(reply.outcome == "200 bound: alice verified #2")
    #expect(reply.json["policy_revision"]?.integer == 2)
    #expect(try await scene.rejections().isEmpty)
  }

  @Test("Row 7: a token of the user who is bound already verifies the binding and keeps it")
  func verifying() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let bound = try await device.login("alice")
    try await device.furnish()
    try await scene.turn(.verified)
    let reply = try await device.login(token: scene.token("alice"))
    #expect(reply.outcome == "200 unchanged: alice verified #2")
    #expect(reply.bindingID == bound.bindingID)
    #expect(try await device.binding().text == "alice verified #2")
    #expect(try await device.isFurnished())
    try await scene.turn(.basic)
    #expect(try await device.login("alice").outcome == "200 unchanged: alice verified #2")
  }

  @Test("K17, K22, rows 8 and 9: a login of the other mode is told the mode, changes nothing and isn't stored")
  func otherMode() async throws {
    let scene = try await IdentityScene.make(.basic)
    let device = try await scene.device()
    let operation = Device.operationID()
    let token = try await device.login(token: scene.token("alice"), operation: operation)
    #expect(token.outcome == "409 IDENTITY_AUTH_MODE_CHANGED")
    #expect(token.json["auth_mode"]?.string == "BASIC")
    #expect(token.json["policy_revision"]?.integer == 1)
    #expect(token.json["retryable"]?.bool == false)
    try await scene.turn(.verified)
    let claim = try await device.login("alice", operation: operation)
    #expect(claim.outcome == "409 IDENTITY_AUTH_MODE_CHANGED")
    #expect(claim.json["auth_mode"]?.string == "VERIFIED")
    #expect(try await scene.operations(of: device) == 0)
    #expect(try await device.binding().text == "nobody #1")
    #expect(
      try await device.login(token: scene.token("alice"), operation: operation).outcome
        == "200 bound: alice verified #2")
  }

  @Test("K21, row 10: another binding than the expected one is a conflict that tells the binding of now")
  func conflict() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let first = try await device.binding()
    _ = try await device.login("alice")
    for reply in [try await device.login("bob", expecting: first.id), try await device.logout(expecting: first.id)] {
      #expect(reply.outcome == "409 IDENTITY_REBIND_CONFLICT: alice #2")
      #expect(reply.json["policy_revision"]?.integer == 1)
    }
    #expect(try await device.binding().text == "alice #2")
  }

  @Test("K23, row 11: a policy that moved is a conflict, whatever the mode and the proof are")
  func movedPolicy() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    try await scene.turn(.verified)
    let replies = [
      try await device.login("alice", revision: 1), try await device.login(token: "rubbish", revision: 1),
      try await device.login(token: scene.token("alice"), revision: 1), try await device.logout(revision: 1),
    ]
    for reply in replies {
      #expect(reply.outcome == "409 IDENTITY_REBIND_CONFLICT: nobody #1")
      #expect(reply.json["policy_revision"]?.integer == 2)
    }
    #expect(try await scene.rejections().isEmpty)
    #expect(
      try await device.login(token: scene.token("alice"), revision: 2).outcome == "200 bound: alice verified #2")
  }

  @Test("K20, row 12: adding and revoking keys doesn't move the policy")
  func keysAndPolicy() async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    let next = TokenForge()
    try await scene.add(next.key.publicKey, as: "key-2")
    try await scene.revoke()
    let reply = try await device.login(token: scene.token("alice", keyID: "key-2", by: next), revision: 2)
    #expect(reply.outcome == "200 bound: alice verified #2")
    #expect(reply.json["policy_revision"]?.integer == 2)
  }

  @Test("SEC-J39, row 13: users are compared by bytes", arguments: [("é", "e\u{301}"), ("K", "\u{212A}"), ("fi", "ﬁ")])
  func bytes(_ first: String, _ second: String) async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    _ = try await device.login(first)
    let reply = try await device.login(second)
    #expect(reply.json["result"]?.string == "bound")
    let user = try #require(reply.json.at("binding", "external_id")?.string)
    #expect(Array(user.utf8) == Array(second.utf8))
  }
}
