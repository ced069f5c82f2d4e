import JSON
import KitsCore
import KitsStore
import Testing

@testable import KitsAPI

@Suite("After the erasure of a user")
struct ErasureFlowTests {
  private func erase(_ user: String, _ scene: IdentityScene) async throws -> Reply {
    try await Backend.make([.usersWrite], of: scene.tenant).delete("/v1/users/\(user)")
  }

  @Test("A repeated login is a new operation, which conflicts; a new login binds")
  func replay() async throws {
    let scene = try await IdentityScene.make(.basic)
    let device = try await scene.device()
    let (operation, expected) = (Device.operationID(), try await device.binding().id)
    #expect(try await device.login("alice", operation: operation, expecting: expected).status == 200)
    try await device.furnish()
    let reply = try await erase("alice", scene)
    #expect(reply.json["installations"] == .integer(1) && reply.json["operations"] == .integer(1))
    #expect(try await device.isFurnished() == false)
    let again = try await device.login("alice", operation: operation, expecting: expected)
    #expect(again.outcome == "409 IDENTITY_REBIND_CONFLICT: nobody #3")
    #expect(try await device.login("alice").outcome == "200 bound: alice #4")
  }

  @Test("A token from before binds nobody, on the erased device and on any other; a later one does")
  func tokens() async throws {
    let scene = try await IdentityScene.make(.verified)
    let device = try await scene.device()
    let old = try scene.token("alice", issued: 60)
    #expect(try await device.login(token: old).status == 200)
    _ = try await erase("alice", scene)
    for device in [device, try await scene.device()] {
      #expect(try await device.login(token: old).outcome == "401 IDENTITY_TOKEN_EXPIRED")
    }
    #expect(try await scene.rejections() == ["user_erased": 2])
    #expect(try await device.login(token: scene.token("bob", issued: 60)).status == 200)
    // Whole seconds: a token of this very second counts as one from before.
    #expect(try await device.login(token: scene.token("alice", issued: -2)).outcome == "200 bound: alice verified #5")
  }

  @Test("A user who was erased before there was a device is as erased")
  func inAdvance() async throws {
    let scene = try await IdentityScene.make(.verified)
    let old = try scene.token("alice", issued: 60)
    #expect(try await erase("alice", scene).status == 200)
    #expect(try await scene.device().login(token: old).outcome == "401 IDENTITY_TOKEN_EXPIRED")
  }

  @Test("Another environment's tombstone says nothing")
  func otherEnvironment() async throws {
    let scene = try await IdentityScene.make(.verified)
    _ = try await erase("alice", try await IdentityScene.make(.verified))
    #expect(try await scene.device().login(token: scene.token("alice", issued: 60)).status == 200)
  }

  @Test("Only owners and administrators erase; refusals are written down without the user", arguments: Role.allCases)
  func roles(role: Role) async throws {
    let tenant = try await Tenant.make()
    let device = try await tenant.device()
    try await device.bind(to: "alice")
    let backend = try await Backend.make([.usersWrite], of: tenant, role: role)
    let mayErase = role <= .administrator
    let entries = try await tenant.entries {
      let reply = try await backend.delete("/v1/users/alice")
      #expect(reply.status == (mayErase ? 200 : 403) && reply.code == (mayErase ? nil : "ROLE_FORBIDDEN"))
    }
    #expect(entries.map(\.action) == ["user.erased"])
    #expect(entries.map(\.refusal) == [mayErase ? nil : "ROLE_FORBIDDEN"])
    #expect(entries.first?.targetID?.utf8.count == (mayErase ? 64 : nil))
    #expect(entries.allSatisfy { !"\($0)".contains("alice") })
    #expect(try await device.binding().text == (mayErase ? "nobody #3" : "alice #2"))
  }

  @Test("Logins and erasures at the same time leave whole bindings and no deadlock")
  func concurrent() async throws {
    let scene = try await IdentityScene.make(.basic)
    let backend = try await Backend.make([.usersWrite], of: scene.tenant)
    var devices: [Device] = []
    for _ in 0..<16 { devices.append(try await scene.device()) }
    try await withThrowingTaskGroup(of: [Int].self) { group in
      for device in devices {
        group.addTask {
          var statuses: [Int] = []
          for _ in 0..<5 { statuses.append(try await device.login("alice").status) }
          return statuses
        }
      }
      group.addTask {
        var statuses: [Int] = []
        for _ in 0..<10 { statuses.append(try await backend.delete("/v1/users/alice").status) }
        return statuses
      }
      for try await statuses in group { #expect(statuses.allSatisfy { [200, 409].contains($0) }, "\(statuses)") }
    }
    _ = try await backend.delete("/v1/users/alice")
    for device in devices { #expect(try await device.binding().user == nil) }
    #expect(try await Backend.make([.usersRead], of: scene.tenant).get("/v1/users/alice").status == 404)
  }
}
