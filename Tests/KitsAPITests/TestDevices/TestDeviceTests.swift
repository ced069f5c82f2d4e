import JSON
import KitsCore
import Postgres
import Testing

@testable import KitsAPI

@Suite("Test devices")
struct TestDeviceTests {
  private static let scopes: [Scope] = [.installationsRead, .installationsWrite]

  private static func path(_ device: Device) -> String { "/v1/test-devices/\(device.id)" }

  private static func listed(_ backend: Backend, _ query: String = "") async throws -> [String] {
    let reply = try await backend.get("/v1/test-devices\(query)")
    return try #require(reply.json["data"]?.array).map { $0["installation_id"]?.string ?? "?" }
  }

  private static func isMarked(_ device: Device) async throws -> Bool? {
    try await device.read().json["test_device"]?.bool
  }

  private static func marks(_ backend: Backend) async throws -> Int64 {
    try await backend.running.count(
      "SELECT count(*) FROM test_device JOIN app USING (app_no) WHERE app_id = '\(backend.tenant.app.text)'")
  }

  @Test("a device is marked, listed and unmarked; each change is in the audit log once (K8)")
  func life() async throws {
    let backend = try await Backend.make(Self.scopes)
    let device = try await backend.tenant.device(
      #"{"platform":"ios","push_token":"\#(Tenant.pushToken())","permission":"authorized","model":"iPhone16,2"}"#)
    #expect(try await Self.isMarked(device) == false)
    let marked = try await backend.put(Self.path(device), "{}")
    #expect(marked.status == 200)
    #expect(
      marked.json.object?.keys == [
        "installation_id", "app_id", "platform", "model", "external_id", "reachable", "marked_at",
      ])
    #expect(marked.json["installation_id"] == .string(device.id) && marked.json["reachable"] == .bool(true))
    #expect(marked.json["app_id"] == .string(backend.tenant.app.text) && marked.json["external_id"] == .null)
    #expect(try await Self.isMarked(device) == true)
    let again = try await backend.running.send("PUT", Self.path(device), headers: backend.bearer)
    #expect(again.status == 200 && again.json == marked.json)
    #expect(try await backend.get("/v1/test-devices").json["data"] == .array([marked.json]))
    for _ in 0..<2 { #expect(try await backend.delete(Self.path(device)).status == 204) }
    #expect(try await Self.isMarked(device) == false)
    #expect(try await Self.listed(backend) == [])
    let entries = try await backend.running.texts(
      """
      SELECT action || ' ' || changes::text FROM audit_entry WHERE target_kind = 'installation'
        AND target_id = '\(device.id)' AND actor_id = '\(backend.keyID.text)' AND refusal IS NULL ORDER BY audit_no
      """)
    #expect(
      entries == [
        #"test_device.added {"test_device": [false, true]}"#, #"test_device.removed {"test_device": [true, false]}"#,
      ])
  }

  @Test("what isn't an installation of this environment isn't there, and a body has no members")
  func refused() async throws {
    let backend = try await Backend.make(Self.scopes)
    let stranger = try await Tenant.make().device()
    for path in [Self.path(stranger), "/v1/test-devices/x", "/v1/test-devices/01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"] {
      #expect(try await backend.put(path, "{}").status == 404)
      #expect(try await backend.delete(path).status == 404)
    }
    let device = try await backend.tenant.device()
    #expect(try await backend.put(Self.path(device), #"{"x":1}"#).faults == ["/x UNKNOWN_FIELD"])
    #expect(try await backend.put(Self.path(device) + "?x=1", "{}").code == "QUERY_INVALID")
    #expect(try await device.running.send("PUT", Self.path(device), headers: device.bearer, json: "{}").status == 401)
    #expect(try await Self.isMarked(device) == false)
  }

  @Test("a member may mark, an external may not and is written down (T3)", arguments: Role.allCases)
  func role(_ role: Role) async throws {
    let backend = try await Backend.make(Self.scopes, role: role)
    let device = try await backend.tenant.device()
    let isAllowed = role != .external
    #expect(try await backend.put(Self.path(device), "{}").status == (isAllowed ? 200 : 403))
    #expect(try await backend.delete(Self.path(device)).status == (isAllowed ? 204 : 403))
    let refusals = try await backend.running.count(
      "SELECT count(*) FROM audit_entry WHERE target_id = '\(device.id)' AND refusal = 'ROLE_FORBIDDEN'")
    #expect(refusals == (isAllowed ? 0 : 2))
  }

  @Test("an app has 100 of them; one that is marked already stays so")
  func limit() async throws {
    let backend = try await Backend.make(Self.scopes)
    var devices: [Device] = []
    for _ in 0...Limits.testDevicesPerApp { devices.append(try await backend.tenant.device()) }
    for device in devices.prefix(Limits.testDevicesPerApp) {
      #expect(try await backend.put(Self.path(device), "{}").status == 200)
    }
    let last = devices[Limits.testDevicesPerApp]
    let beyond = try await backend.put(Self.path(last), "{}")
    #expect(beyond.status == 409 && beyond.code == "TEST_DEVICE_LIMIT_REACHED")
    #expect(try await backend.put(Self.path(devices[0]), "{}").status == 200)
    #expect(try await backend.delete(Self.path(devices[0])).status == 204)
    #expect(try await backend.put(Self.path(last), "{}").status == 200)
    var pages: [String] = []
    var cursor = ""
    repeat {
      let reply = try await backend.get("/v1/test-devices?limit=33\(cursor)")
      pages += reply.json["data"]?.array?.map { $0["installation_id"]?.string ?? "?" } ?? []
      cursor = reply.json["next_cursor"]?.string.map { "&cursor=\($0)" } ?? ""
    } while !cursor.isEmpty
    #expect(pages == devices.dropFirst().map(\.id).sorted(by: >))
  }

  @Test("the list is narrowed to an app")
  func apps() async throws {
    let backend = try await Backend.make(Self.scopes)
    let device = try await backend.tenant.device()
    let second = try await backend.addApp()
    _ = try await backend.put(Self.path(device), "{}")
    #expect(try await Self.listed(backend, "?app_id=\(backend.tenant.app.text)") == [device.id])
    #expect(try await Self.listed(backend, "?app_id=\(second.text)") == [])
    let stranger = try await Tenant.make()
    #expect(try await backend.get("/v1/test-devices?app_id=\(stranger.app.text)").status == 404)
    #expect(try await backend.get("/v1/test-devices?app_id=x").code == "QUERY_INVALID")
  }

  @Test("the mark goes with the installation, whoever deletes it")
  func deleted() async throws {
    let backend = try await Backend.make(Self.scopes)
    let devices = [try await backend.tenant.device(), try await backend.tenant.device()]
    for device in devices { _ = try await backend.put(Self.path(device), "{}") }
    #expect(try await Self.marks(backend) == 2)
    #expect(try await devices[0].delete().status == 204)
    #expect(try await backend.delete(devices[1].path).status == 204)
    #expect(try await Self.marks(backend) == 0)
    #expect(try await Self.listed(backend) == [])
  }

  @Test("a reinstall takes its mark from an installation and doesn't get it, by registering or by a patch")
  func superseded() async throws {
    let backend = try await Backend.make(Self.scopes)
    let guid = #""identifiers":{"guid":\#(IdentifierTests.report("c"))}"#
    func register(_ parts: String) async throws -> Device {
      try await backend.tenant.device(#"{"platform":"ios","push_token":"\#(Tenant.pushToken())"\#(parts)}"#)
    }
    let first = try await register(",\(guid)")
    _ = try await backend.put(Self.path(first), "{}")
    let second = try await register(",\(guid)")
    #expect(try await Self.isMarked(first) == false)
    #expect(try await Self.isMarked(second) == false)
    _ = try await backend.put(Self.path(second), "{}")
    let third = try await register("")
    #expect(try await third.patch(#"{"state_revision":2,\#(guid)}"#).status == 200)
    #expect(try await Self.isMarked(second) == false)
    #expect(try await Self.isMarked(third) == false)
    #expect(try await Self.marks(backend) == 0)
  }
}
