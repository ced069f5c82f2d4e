import Crypto
import Foundation
import JSON
import KitsCore
import KitsStore
import Postgres
import TestSupport
import Testing

@testable import KitsAPI

/// K2, T13: `POST /v1/installations/{id}/activity`, and its rows of `docs/record-rules.md`.
struct ActivityTests {
  private static func item(
    _ type: String = "event", _ name: String = "opened", id: UUID = UUID(), properties: String = #"{"a":1}"#,
    at time: String = Date().ISO8601Format()
  ) -> String {
    """
    {"id":"\(id.uuidString.lowercased())","type":"\(type)","name":"\(name)","properties":\(properties),
     "occurred_at":"\(time)","x":1}
    """
  }

  private func send(_ items: [String], _ scene: EventScene) async throws -> Reply {
    try await scene.running.send(
      "POST", scene.device.path + "/activity", headers: scene.device.bearer,
      json: "{\"records\":[\(items.joined(separator: ","))]}")
  }

  private func told(_ scene: EventScene, _ items: String...) async throws -> [String] {
    let reply = try await send(items, scene)
    try #require(reply.status == 200, "\(reply.status) \(reply.code ?? "")")
    return reply.results
  }

  /// `type name count` of the app's days.
  private func days(_ scene: EventScene) async throws -> [String] {
    try await scene.running.texts(
      """
      SELECT type || ' ' || name || ' ' || sum(count) FROM activity_day
      WHERE app_no = \(scene.own.app.value) GROUP BY type, name ORDER BY type, name
      """)
  }

  private func kept(_ scene: EventScene) async throws -> Int64 {
    try await scene.running.count("SELECT count(*) FROM activity WHERE app_no = \(scene.own.app.value)")
  }

  @Test("Row 32: each record is kept once by its id, and counted by day and name")
  func recorded() async throws {
    let scene = try await EventScene.make()
    let id = UUID()
    let items = [
      Self.item("user", "profile"), Self.item(id: id), Self.item(id: id), Self.item("activity", "screen"), Self.item(),
    ]
    #expect(try await send(items, scene).results == ["recorded", "recorded", "duplicate", "recorded", "recorded"])
    #expect(try await told(scene, Self.item("user", "other", id: id)) == ["duplicate"])
    #expect(try await kept(scene) == 4)
    #expect(try await days(scene) == ["1 profile 1", "2 opened 2", "3 screen 1"])
    let row = try await scene.running.texts(
      "SELECT name || properties || binding_number FROM activity WHERE record_id = '\(id)'")
    #expect(row == [#"opened{"a": 1}1"#])
  }

  @Test("Row 33: each type has its own feature, and collection has them all (K2)")
  func consent() async throws {
    let scene = try await EventScene.make()
    func all() async throws -> [String] {
      try await told(scene, Self.item("user"), Self.item("event"), Self.item("activity"))
    }
    for (revision, feature) in ["users", "events", "activity"].enumerated() {
      try await scene.patch(#"{"state_revision":\#(revision * 2 + 2),"collection":{"\#(feature)":false}}"#)
      #expect(try await all() == (0..<3).map { $0 == revision ? "COLLECTION_OFF" : "recorded" })
      try await scene.patch(#"{"state_revision":\#(revision * 2 + 3),"collection":{"\#(feature)":true}}"#)
    }
    try await scene.patch(#"{"state_revision":8,"collection":{"enabled":false}}"#)
    #expect(try await all() == Array(repeating: "COLLECTION_OFF", count: 3))
    #expect(try await kept(scene) == 6)
    #expect(try await days(scene) == ["1 opened 2", "2 opened 2", "3 opened 2"])
  }

  @Test("Row 34: none in COPPA mode (T6)")
  func coppa() async throws {
    let scene = try await EventScene.make(nil, #"{"platform":"ios","coppa":true}"#)
    #expect(
      try await told(scene, Self.item("user"), Self.item("event"), Self.item("activity")) == [
        "COLLECTION_OFF", "COLLECTION_OFF", "COLLECTION_OFF",
      ])
    #expect(try await kept(scene) == 0)
    #expect(try await days(scene) == [])
    #expect(
      try await scene.running.count("SELECT count(*) FROM activity_name WHERE app_no = \(scene.own.app.value)") == 0)
  }

  @Test("Row 35: a record that is wrong holds back none of the others (T13)")
  func malformed() async throws {
    let scene = try await EventScene.make()
    let large = "{\"a\":\"\(String(repeating: "x", count: Limits.activityPropertiesBytes - 8))\"}"
    let tooLarge = "{\"a\":\"\(String(repeating: "x", count: Limits.activityPropertiesBytes - 7))\"}"
    let name = String(repeating: "n", count: 64)
    let bad = [
      "1", "{}", Self.item("purchase"), Self.item("event", ""), Self.item("event", "a b"), Self.item("event", "é"),
      Self.item("event", name + "n"), Self.item(properties: "[]"), Self.item(properties: tooLarge),
      Self.item(at: "now"), Self.item().replacingOccurrences(of: "\"id\":\"", with: "\"id\":\"x"),
    ]
    let good = [
      Self.item("event", name), Self.item(properties: large), Self.item(properties: "null"),
      Self.item("event", "A-z_0.9"),
    ]
    let reply = try await send(bad + good, scene)
    #expect(
      reply.results == Array(repeating: "RECORD_INVALID", count: bad.count) + Array(repeating: "recorded", count: 4))
    #expect(try await kept(scene) == 4)
  }

  @Test("Row 36: an app has a thousand names; known ones go on (T13)")
  func names() async throws {
    let scene = try await EventScene.make()
    try await scene.running.pool.script(
      """
      INSERT INTO activity_name (app_no, type, name)
      SELECT \(scene.own.app.value), 2, 'n' || i FROM generate_series(1, \(Limits.activityNames - 2)) i
      """)
    let items = ["n1", "new1", "new2", "new3", "new1", "new3"].map { Self.item("event", $0) }
    #expect(
      try await send(items, scene).results == [
        "recorded", "recorded", "recorded", "NAME_LIMIT_REACHED", "recorded", "NAME_LIMIT_REACHED",
      ])
    #expect(
      try await told(scene, Self.item("user", "n1"), Self.item("event", "n2")) == [
        "NAME_LIMIT_REACHED", "recorded",
      ])
    #expect(try await days(scene) == ["2 n1 1", "2 n2 1", "2 new1 2", "2 new2 1"])
    let other = try await EventScene.make()
    #expect(try await told(other, Self.item("event", "new3")) == ["recorded"])
  }

  @Test(
    "Row 37: a device's clock is never a reason to refuse", arguments: ["1970-01-01T00:00:00Z", "2999-01-01T00:00:00Z"])
  func clocks(time: String) async throws {
    let scene = try await EventScene.make()
    #expect(try await told(scene, Self.item(at: time)) == ["recorded"])
    let kept = try await scene.running.count(
      """
      SELECT count(*) FROM activity
      WHERE app_no = \(scene.own.app.value) AND occurred_at <= now()
        AND occurred_at >= now() - interval '30 days 1 minute'
      """)
    #expect(kept == 1)
  }

  @Test("Row 38: an erased user's records go, those of others and the counts stay")
  func erased() async throws {
    let scene = try await EventScene.make()
    #expect(try await told(scene, Self.item()) == ["recorded"])
    _ = try await scene.device.login("u")
    #expect(try await told(scene, Self.item(), Self.item()) == ["recorded", "recorded"])
    let backend = try await Backend.make([.usersWrite], of: scene.tenant)
    #expect(try await backend.delete("/v1/users/u").status == 200)
    #expect(try await kept(scene) == 1)
    #expect(try await days(scene) == ["2 opened 3"])
  }

  @Test("The request is an object with 1 to 100 records; a device of an older generation tells nothing")
  func shape() async throws {
    let scene = try await EventScene.make()
    func faults(_ body: String) async throws -> [String] {
      try await scene.running.send(
        "POST", scene.device.path + "/activity", headers: scene.device.bearer, json: body
      ).faults
    }
    #expect(try await faults("{}") == ["/records MISSING"])
    #expect(try await faults(#"{"records":[]}"#) == ["/records TOO_FEW"])
    let many = Array(repeating: "1", count: 101).joined(separator: ",")
    #expect(try await faults("{\"records\":[\(many)]}") == ["/records TOO_MANY"])
    #expect(
      try await send((0..<100).map { _ in Self.item() }, scene).results == Array(repeating: "recorded", count: 100))
    try await scene.running.pool.script(
      "UPDATE installation SET generation = generation + 1 WHERE installation_id = '\(scene.device.id)'")
    #expect(try await send([Self.item()], scene).told == "401 DEVICE_TOKEN_INVALID")
  }
}
