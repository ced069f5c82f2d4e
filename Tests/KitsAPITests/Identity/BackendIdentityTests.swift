import JSON
import KitsCore
import Testing

@testable import KitsAPI

/// The state table of `docs/identity.md`, rows 28 to 33: the customer's backend logs users in and out.
@Suite("Identity by a backend", .serialized)
struct BackendIdentityTests {
  private struct Backend {
    let running: RunningAPI
    let headers: [(String, String)]

    init(_ scene: IdentityScene, _ scopes: [Scope] = [.usersRead, .usersWrite]) async throws {
      running = scene.running
      headers = [("Authorization", "Bearer \(try await scene.tenant.serverKey(scopes).secret.text)")]
    }

    func identify(
      _ user: String, _ device: Device, operation: String = Device.operationID(), expecting binding: String
    ) async throws -> Reply {
      try await running.send(
        "POST", device.path + "/identify", headers: headers,
        json: #"{"external_id":"\#(user)","expected_binding_id":"\#(binding)","operation_id":"\#(operation)"}"#)
    }

    func logout(
      _ device: Device, operation: String = Device.operationID(), expecting binding: String
    ) async throws -> Reply {
      try await running.send(
        "POST", device.path + "/logout", headers: headers,
        json: #"{"expected_binding_id":"\#(binding)","operation_id":"\#(operation)"}"#)
    }
  }

  @Test("K28, row 28: a backend binds a user, verified, in every mode", arguments: IdentityScene.Mode.allCases)
  func identify(_ mode: IdentityScene.Mode) async throws {
    let scene = try await IdentityScene.make(mode)
    let device = try await scene.device()
    try await device.furnish()
    let backend = try await Backend(scene)
    let reply = try await backend.identify("alice", device, expecting: device.binding().id)
    #expect(reply.outcome == "200 bound: alice verified #2")
    #expect(reply.header("Cache-Control") == "no-store")
    #expect(try await device.binding() == Device.Binding(reply.json["binding"]))
    #expect(try await !device.isFurnished())
    let again = try await backend.identify("alice", device, expecting: device.binding().id)
    #expect(again.outcome == "200 unchanged: alice verified #2")
  }

  @Test("K28, row 29: a backend logs out; nobody is bound then, so nothing is verified")
  func logout() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let backend = try await Backend(scene)
    _ = try await backend.identify("alice", device, expecting: device.binding().id)
    let reply = try await backend.logout(device, expecting: device.binding().id)
    #expect(reply.outcome == "200 logged_out: nobody #3")
    #expect(try await device.binding().text == "nobody #3")
  }

  @Test("K28, row 30: both flows obey one compare-and-set: what was decided on an older binding conflicts loudly")
  func conflict() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let backend = try await Backend(scene)
    let first = try await device.binding()
    let operation = Device.operationID()
    _ = try await device.login("alice", expecting: first.id)
    let late = try await backend.identify("bob", device, operation: operation, expecting: first.id)
    #expect(late.outcome == "409 IDENTITY_REBIND_CONFLICT: alice #2")
    let replay = try await backend.identify("bob", device, operation: operation, expecting: device.binding().id)
    #expect(replay.outcome == "409 IDENTITY_REBIND_CONFLICT replayed: alice #2")
    _ = try await backend.identify("bob", device, expecting: device.binding().id)
    #expect(
      try await device.logout(expecting: first.id).outcome == "409 IDENTITY_REBIND_CONFLICT: bob verified #3")
  }

  @Test("Row 31: replays are answered to whoever sends them")
  func replay() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let backend = try await Backend(scene)
    let operation = Device.operationID()
    _ = try await device.login("alice", operation: operation)
    let reply = try await backend.identify("alice", device, operation: operation, expecting: Device.operationID())
    #expect(reply.outcome == "200 bound replayed: alice #2")
    #expect(
      try await backend.logout(device, operation: operation, expecting: Device.operationID()).outcome
        == "409 IDENTITY_OPERATION_REUSED")
  }

  @Test("Row 32: what another environment has doesn't exist, nor does what was deleted")
  func elsewhere() async throws {
    let (scene, other) = (try await IdentityScene.make(), try await IdentityScene.make())
    let device = try await scene.device()
    let stranger = try await Backend(other)
    let binding = try await device.binding().id
    #expect(try await stranger.identify("eve", device, expecting: binding).outcome == "404 NOT_FOUND")
    #expect(try await stranger.logout(device, expecting: binding).outcome == "404 NOT_FOUND")
    let read = try await scene.running.send("GET", device.path + "/identity", headers: stranger.headers)
    #expect(read.outcome == "404 NOT_FOUND")
    #expect(try await device.binding().text == "nobody #1")
    _ = try await device.login("alice")
    #expect(try await scene.operations(of: device) == 1)
    _ = try await device.delete()
    #expect(try await Backend(scene).logout(device, expecting: binding).outcome == "404 NOT_FOUND")
    let left = try await scene.running.count(
      "SELECT count(*) FROM identity_operation JOIN app USING (app_no) WHERE app_id = '\(scene.tenant.app.text)'")
    #expect(left == 0)
  }

  @Test("Row 33: each needs its scope, and a device token is no server key")
  func scopes() async throws {
    let scene = try await IdentityScene.make()
    let device = try await scene.device()
    let binding = try await device.binding().id
    let reader = try await Backend(scene, [.usersRead])
    #expect(try await reader.identify("eve", device, expecting: binding).outcome == "403 SCOPE_MISSING")
    #expect(try await reader.logout(device, expecting: binding).outcome == "403 SCOPE_MISSING")
    let read = try await scene.running.send("GET", device.path + "/identity", headers: reader.headers)
    #expect(try await Device.Binding(read.json["binding"]) == device.binding())
    let writer = try await Backend(scene, [.usersWrite])
    let unread = try await scene.running.send("GET", device.path + "/identity", headers: writer.headers)
    #expect(unread.outcome == "403 SCOPE_MISSING")
    for route in ["/identify", "/logout"] {
      let reply = try await scene.running.send("POST", device.path + route, headers: device.bearer, json: "{}")
      #expect(reply.outcome == "401 SERVER_KEY_INVALID")
    }
    let posted = try await scene.running.send(
      "POST", device.path + "/identity", headers: writer.headers, json: #"{"operation_id":"a"}"#)
    #expect(posted.outcome == "401 DEVICE_TOKEN_INVALID")
  }
}
