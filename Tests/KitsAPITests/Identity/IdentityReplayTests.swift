import JSON
import KitsCore
import Testing

@testable import KitsAPI

/// The state table of `docs/identity.md`, rows 14 to 19: operations that come again.
@Suite("Replays of logins and logouts", .serialized)
struct IdentityReplayTests {
  @Test("K21, row 14: an operation that comes again is answered as before, even if the binding moved on")
  func applied() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let first = try await device.binding()
    let operation = Device.operationID()
    let alice = try await device.login("alice", operation: operation, expecting: first.id)
    let same = try await device.login("alice", operation: operation, expecting: alice.bindingID)
    _ = try await device.login("bob")
    // Neither the expected binding nor the expected revision counts any more.
    let late = try await device.login("alice", operation: operation, expecting: Device.operationID(), revision: 99)
    for reply in [same, late] {
      #expect(reply.outcome == "200 bound replayed: alice #2")
      #expect(reply.json["binding"] == alice.json["binding"])
    }
    #expect(try await device.binding().text == "bob #3")
    #expect(try await scene.operations(of: device) == 2)
  }

  @Test("Row 14: unchanged and logged_out are answered again too")
  func otherResults() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    _ = try await device.login("alice")
    let (again, logout) = (Device.operationID(), Device.operationID())
    _ = try await device.login("alice", operation: again)
    _ = try await device.logout(operation: logout)
    #expect(try await device.login("alice", operation: again).outcome == "200 unchanged replayed: alice #2")
    #expect(try await device.logout(operation: logout).outcome == "200 logged_out replayed: nobody #3")
    #expect(try await device.binding().text == "nobody #3")
  }

  @Test("Row 15: a conflict stays a conflict, even when what was expected is right by now")
  func conflict() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let operation = Device.operationID()
    let first = try await device.login("alice", operation: operation, expecting: Device.operationID())
    #expect(first.outcome == "409 IDENTITY_REBIND_CONFLICT: nobody #1")
    _ = try await device.logout()
    let again = try await device.login("alice", operation: operation)
    #expect(again.outcome == "409 IDENTITY_REBIND_CONFLICT replayed: nobody #1")
    #expect(again.json["binding"] == first.json["binding"])
    #expect(try await device.login("alice").outcome == "200 bound: alice #3")
  }

  @Test("Row 16: the user counts, not the proof: expired, of a revoked key or of the other mode, it is answered")
  func otherProof() async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    let operation = Device.operationID()
    _ = try await device.login(token: scene.token("alice"), operation: operation)
    let stranger = TokenForge()
    try await scene.revoke()
    let replies = [
      try await device.login(token: scene.token("alice", issued: 4_000), operation: operation),
      try await device.login(token: scene.token("alice", by: stranger), operation: operation),
      try await device.login("alice", operation: operation),
    ]
    for reply in replies { #expect(reply.outcome == "200 bound replayed: alice verified #2") }
    #expect(try await scene.rejections().isEmpty)
  }

  @Test("Row 17: an operation id of something else is refused: another user, another kind, a user nobody can read")
  func reused() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let (login, logout) = (Device.operationID(), Device.operationID())
    _ = try await device.login("alice", operation: login)
    _ = try await device.logout(operation: logout)
    let replies = [
      try await device.login("bob", operation: login), try await device.login("Alice", operation: login),
      try await device.logout(operation: login), try await device.login("alice", operation: logout),
      try await device.login(token: "rubbish", operation: login),
      try await device.login(token: scene.token("bob"), operation: login),
    ]
    for reply in replies { #expect(reply.outcome == "409 IDENTITY_OPERATION_REUSED") }
    #expect(try await device.binding().text == "nobody #3")
  }

  @Test("Row 18: operation ids belong to one installation")
  func otherInstallation() async throws {
    let scene = try await IdentityScene.make()
    let (one, other) = (try await scene.device(), try await scene.device())
    let operation = Device.operationID()
    _ = try await one.login("alice", operation: operation)
    #expect(try await other.login("bob", operation: operation).outcome == "200 bound: bob #2")
  }

  @Test("Row 19: a refused proof leaves the operation free for a fresh one")
  func refusedIsFree() async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    let operation = Device.operationID()
    let expired = try await device.login(token: scene.token("alice", issued: 300), operation: operation)
    #expect(expired.outcome == "401 IDENTITY_TOKEN_EXPIRED")
    #expect(try await scene.operations(of: device) == 0)
    #expect(
      try await device.login(token: scene.token("alice"), operation: operation).outcome
        == "200 bound: alice verified #2")
    #expect(try await scene.rejections() == ["expired": 1])
  }
}
