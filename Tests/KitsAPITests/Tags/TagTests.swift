import JSON
import KitsCore
import Postgres
import Testing

@testable import KitsAPI

@Suite("Tags")
struct TagTests {
  private static func device() async throws -> Device { try await Tenant.make().device() }

  @Test("tags are set and removed, and the answer has all of them in order of their keys (K7)")
  func change() async throws {
    let device = try await Self.device()
    let binding = try await device.binding().id
    let first = try await device.tag(["plan": "pro", "a.B-c_9": "", "Z": "é 😀 ' \" \\"])
    #expect(first.status == 200)
    #expect(first.json["binding_id"] == .string(binding))
    #expect(first.json["tags"]?.object?.keys == ["Z", "a.B-c_9", "plan"])
    #expect(try Device.tags(of: first.json) == ["plan": "pro", "a.B-c_9": "", "Z": "é 😀 ' \" \\"])
    let second = try await device.tag(["plan": "free", "new": "1"], remove: ["Z", "unknown", "Z"])
    let expected = ["plan": "free", "a.B-c_9": "", "new": "1"]
    #expect(try Device.tags(of: second.json) == expected)
    #expect(try await device.tags() == expected)
    let backend = try await Backend.make([.installationsRead], of: tenant(of: device))
    #expect(try Device.tags(of: try await backend.get(device.path).json) == expected)
    let onlyRemoving = try await device.tag(#"{"expected_binding_id":"\#(binding)","remove":["plan"],"set":null}"#)
    #expect(try Device.tags(of: onlyRemoving.json) == ["a.B-c_9": "", "new": "1"])
    #expect(
      try await device.patch(#"{"state_revision":2,"app_version":"2"}"#).json["tags"] == onlyRemoving.json["tags"])
  }

  /// A backend in the environment of a device.
  private func tenant(of device: Device) async throws -> Tenant {
    let found = try await device.running.texts(
      """
      SELECT e.environment_id || ' ' || a.app_id || ' ' || a.public_key
      FROM installation i JOIN app a USING (app_no) JOIN environment e USING (environment_no)
      WHERE i.installation_id = '\(device.id)'
      """)
    let parts = try #require(found.first).split(separator: " ").map(String.init)
    return Tenant(
      running: device.running, environment: try #require(EnvironmentID(parsing: parts[0])),
      app: try #require(AppID(parsing: parts[1])), publicKey: try #require(PublicKey(parts[2])))
  }

  @Test("the same change again leaves the same tags and writes nothing (K7)")
  func repeated() async throws {
    let device = try await Self.device()
    let change = (values: ["plan": "pro", "x": "1"], remove: ["y"])
    let first = try await device.tag(change.values, remove: change.remove)
    let version = "SELECT xmin::text::bigint FROM installation WHERE installation_id = '\(device.id)'"
    let keys = "SELECT coalesce(max(xmin::text::bigint), 0) FROM tag_key WHERE key IN ('plan', 'x')"
    let (before, keysBefore) = (try await device.running.count(version), try await Self.keyVersions(device))
    let again = try await device.tag(change.values, remove: change.remove)
    #expect(again.json == first.json && again.status == 200)
    #expect(try await device.running.count(version) == before)
    #expect(try await Self.keyVersions(device) == keysBefore && !keys.isEmpty)
  }

  private static func keyVersions(_ device: Device) async throws -> [String] {
    try await device.running.texts(
      """
      SELECT k.key || ' ' || k.xmin FROM tag_key k JOIN installation i USING (app_no)
      WHERE i.installation_id = '\(device.id)' ORDER BY k.key
      """)
  }

  @Test("a change for another binding changes nothing and tells the binding of now (K7)")
  func otherBinding() async throws {
    let device = try await Self.device()
    let anonymous = try await device.binding().id
    #expect(try await device.tag(["plan": "pro"]).status == 200)
    #expect(try await device.login("alice").status == 200)
    let late = try await device.tag(["plan": "late"], expecting: anonymous)
    #expect(late.status == 409 && late.code == "BINDING_CHANGED")
    #expect(late.json["retryable"] == .bool(false))
    #expect(late.json["binding"] == (try await device.identity().json["binding"]))
    #expect(try await device.tags() == [:])
    // Removing from somebody else is no better.
    let removing = #"{"expected_binding_id":"\#(anonymous)","remove":["plan"]}"#
    #expect(try await device.tag(removing).code == "BINDING_CHANGED")
  }

  @Test("login of another user, logout and the barrier delete the tags; login of the same user keeps them (K7)")
  func identity() async throws {
    let device = try await Self.device()
    let steps: [(step: @Sendable () async throws -> Reply, keeps: Bool)] = [
      ({ try await device.login("alice") }, false), ({ try await device.login("alice") }, true),
      ({ try await device.login("bob") }, false), ({ try await device.logout() }, false),
      ({ try await device.logout() }, false),
    ]
    for (index, step) in steps.enumerated() {
      #expect(try await device.tag(["step": "\(index)"]).status == 200)
      #expect(try await step.step().status == 200)
      #expect(try await device.tags() == (step.keeps ? ["step": "\(index)"] : [:]), "step \(index)")
    }
  }

  @Test("all wrong fields are told at once")
  func fields() async throws {
    let device = try await Self.device()
    let wrong = try await device.tag(
      #"{"expected_binding_id":"x","set":{"a b":"1","n":1,"z":null,"c":"a\u0001","ok":"1"},"remove":["é","ok",7,""]}"#)
    #expect(wrong.status == 422)
    #expect(
      Set(wrong.faults) == [
        "/expected_binding_id BAD_FORMAT", "/set/a b BAD_FORMAT", "/set/n WRONG_TYPE", "/set/z NULL_NOT_ALLOWED",
        "/set/c BAD_FORMAT", "/remove/0 BAD_FORMAT", "/remove/1 CONFLICT", "/remove/2 WRONG_TYPE",
        "/remove/3 BAD_FORMAT",
      ])
    #expect(try await device.tag("{}").faults == ["/expected_binding_id MISSING", "/set MISSING"])
    let binding = try await device.binding().id
    #expect(try await device.tag(#"{"expected_binding_id":"\#(binding)","set":null}"#).faults == ["/set MISSING"])
    let wrongTypes = #"{"expected_binding_id":"\#(binding)","set":[],"remove":{}}"#
    #expect(try await device.tag(wrongTypes).faults == ["/set WRONG_TYPE", "/remove WRONG_TYPE"])
    let unknown = #"{"expected_binding_id":"\#(binding)","set":{},"later":1}"#
    #expect(try await device.tag(unknown).status == 200)
    let long = String(repeating: "k", count: 200)
    let faults = try await device.tag(#"{"expected_binding_id":"\#(binding)","set":{"\#(long)":""}}"#).faults
    #expect(faults == ["/set BAD_FORMAT"], "a very long name isn't repeated")
  }

  @Test("the token of a deleted installation is refused, and another installation's finds nothing")
  func gone() async throws {
    let device = try await Self.device()
    let binding = try await device.binding().id
    let other = try await Self.device()
    let crossed = Device(running: device.running, id: device.id, token: other.token)
    #expect(try await crossed.tag(["a": "1"], expecting: binding).status == 404)
    _ = try await device.delete()
    #expect(try await device.tag(["a": "1"], expecting: binding).code == "DEVICE_TOKEN_INVALID")
  }

  @Test(
    "without consent to users nothing is set; what is there stays, and can be removed (K2)",
    arguments: [#"{"enabled":false}"#, #"{"users":false}"#])
  func consent(collection: String) async throws {
    let device = try await Self.device()
    #expect(try await device.tag(["plan": "pro", "x": "1"]).status == 200)
    try await device.consent(collection, revision: 2)
    let refused = try await device.tag(["plan": "free"], remove: ["x"])
    #expect(refused.status == 409 && refused.code == "COLLECTION_OFF")
    #expect(refused.json["retryable"] == .bool(false))
    #expect(try await device.tags() == ["plan": "pro", "x": "1"])
    let removed = try await device.tag([:], remove: ["x"])
    #expect(try Device.tags(of: removed.json) == ["plan": "pro"])
    // Pushes and identity go on.
    #expect(try await device.login("alice").status == 200)
    try await device.consent(#"{"enabled":true,"users":true}"#, revision: 3)
    #expect(try await device.tag(["plan": "free"]).status == 200)
  }

  @Test("other features that are off leave tags alone (K2)")
  func otherFeatures() async throws {
    let device = try await Self.device()
    try await device.consent(#"{"events":false,"activity":false,"notification_events":false}"#, revision: 2)
    #expect(try await device.tag(["plan": "pro"]).status == 200)
  }

  @Test("a segment finds whom the tags mean, at once (K8)")
  func segment() async throws {
    let backend = try await Backend.segments()
    let devices = [try await backend.tenant.device(), try await backend.tenant.device()]
    #expect(try await devices[0].tag(["plan": "pro", "score": "12.50"]).status == 200)
    #expect(try await devices[1].tag(["plan": "free", "score": "9"]).status == 200)
    func count(_ filter: String) async throws -> JSONValue? {
      try await backend.preview(#"{"filter":\#(filter)}"#).json["matching"]
    }
    #expect(try await count(Backend.proFilter) == .integer(1))
    #expect(try await count(#"{"field":"tag.score","op":"gt","value":12.4}"#) == .integer(1))
    #expect(try await devices[0].tag([:], remove: ["plan"]).status == 200)
    #expect(try await count(Backend.proFilter) == .integer(0))
    #expect(try await count(#"{"field":"tag.plan","op":"not_exists"}"#) == .integer(1))
  }
}
