import JSON
import KitsCore
import Testing

@testable import KitsAPI

/// The state table of `docs/identity.md`, rows 35 to 37: what is told.
@Suite("Reading identities", .serialized)
struct IdentityReadTests {
  @Test("Row 35: a device token is good for its own installation as long as that exists")
  func credentials() async throws {
    let scene = try await IdentityScene.make()
    let (device, other) = (try await scene.device(), try await scene.device())
    let impostor = Device(running: device.running, id: other.id, token: device.token)
    #expect(try await impostor.identity().outcome == "404 NOT_FOUND")
    #expect(try await impostor.login("eve", expecting: other.binding().id).outcome == "404 NOT_FOUND")
    let binding = try await device.binding().id
    _ = try await device.delete()
    let replies = [
      try await device.identity(), try await device.login("alice", expecting: binding),
      try await device.logout(expecting: binding),
      try await device.login(token: scene.token("alice"), expecting: binding),
      try await device.running.send("GET", device.path + "/identity-policy", headers: device.bearer),
    ]
    for reply in replies { #expect(reply.outcome == "401 DEVICE_TOKEN_INVALID") }
    #expect(try await other.binding().text == "nobody #1")
  }

  @Test("K22, row 36: an operation is unknown, completed or a conflict, with the binding that it was answered")
  func operations() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let (login, conflict) = (Device.operationID(), Device.operationID())
    let plain = try await device.identity()
    #expect(plain.status == 200)
    #expect(plain.json["operation"]?.isNull == true)
    #expect(plain.json["policy_revision"]?.integer == 1)
    #expect(plain.header("Cache-Control") == "no-store")
    let unknown = try await device.identity(operation: login)
    #expect(unknown.json.at("operation", "state")?.string == "unknown")
    #expect(unknown.json.at("operation", "binding")?.isNull == true)
    let bound = try await device.login("alice", operation: login)
    _ = try await device.login("bob", operation: conflict, expecting: Device.operationID())
    _ = try await device.logout()
    let completed = try await device.identity(operation: login.uppercased())
    #expect(completed.json.at("operation", "state")?.string == "completed")
    #expect(completed.json.at("operation", "binding") == bound.json["binding"])
    #expect(try Device.Binding(completed.json["binding"]).text == "nobody #3")
    let refused = try await device.identity(operation: conflict)
    #expect(refused.json.at("operation", "state")?.string == "conflict")
    #expect(refused.json.at("operation", "binding") == bound.json["binding"])
    let malformed = try await device.identity(operation: "1")
    #expect(malformed.outcome == "400 QUERY_INVALID")
    #expect(malformed.faults == ["operation_id BAD_FORMAT"])
  }

  @Test("Row 36: a backend asks the same")
  func byBackend() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let operation = Device.operationID()
    _ = try await device.login("alice", operation: operation)
    let key = try await scene.tenant.serverKey([.usersRead]).secret
    let reply = try await device.running.send(
      "GET", device.path + "/identity?operation_id=\(operation)", headers: [("Authorization", "Bearer \(key.text)")])
    let own = try await device.identity(operation: operation)
    #expect(reply.status == 200)
    #expect(reply.json == own.json)
  }

  @Test("K23, row 37: the policy and the binding are told together, and the policy's revision counts its changes")
  func policy() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    _ = try await device.login("alice")
    func policy() async throws -> Reply {
      try await device.running.send("GET", device.path + "/identity-policy", headers: device.bearer)
    }
    let basic = try await policy()
    #expect(basic.status == 200)
    #expect(basic.json["auth_mode"]?.string == "BASIC")
    #expect(basic.json["policy_revision"]?.integer == 1)
    #expect(try Device.Binding(basic.json["binding"]).text == "alice #2")
    #expect(basic.header("Cache-Control") == "no-store")
    try await scene.turn(.verified)
    let verified = try await policy()
    #expect(verified.json["auth_mode"]?.string == "VERIFIED")
    #expect(verified.json["policy_revision"]?.integer == 2)
  }
}
