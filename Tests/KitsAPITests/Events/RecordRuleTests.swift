import Crypto
import Foundation
import JSON
import KitsCore
import TestSupport
import Testing

@testable import KitsAPI

/// K31: rows of `docs/record-rules.md` about who may report what.
struct RecordRuleTests {
  @Test("Row 1: RECEIVED is recorded once, with both times (K9)")
  func received() async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    let time = Date().ISO8601Format()
    #expect(try await scene.told(EventScene.item(marks.deliveryID, at: time)) == ["recorded"])
    #expect(try await scene.rows() == ["1 1"])
    #expect(try await scene.hours() == ["1 1"])
    let kept = try await scene.running.count(
      """
      SELECT count(*) FROM notification_event
      WHERE app_no = \(scene.own.app.value) AND received_at BETWEEN now() - interval '1 minute' AND now()
        AND occurred_at BETWEEN '\(time)'::timestamptz AND now()
      """)
    #expect(kept == 1)
  }

  @Test("Row 2: the first one wins, in one request and in the next")
  func duplicates() async throws {
    let scene = try await EventScene.make()
    let id = try await scene.marks().deliveryID
    let item = EventScene.item(id)
    #expect(
      try await scene.told(item, item, EventScene.item(id, "CLICKED"), item) == [
        "recorded", "duplicate", "recorded", "duplicate",
      ])
    let before = try await scene.running.texts(Self.times(scene))
    #expect(try await scene.told(EventScene.item(id, at: "2020-01-01T00:00:00Z")) == ["duplicate"])
    #expect(try await scene.running.texts(Self.times(scene)) == before)
    #expect(try await scene.hours() == ["1 1", "2 1"])
  }

  private static func times(_ scene: EventScene) -> String {
    """
    SELECT type || ' ' || occurred_at || ' ' || received_at FROM notification_event
    WHERE app_no = \(scene.own.app.value) ORDER BY type
    """
  }

  @Test("Row 3: what the extension told isn't told again by the app (K14)")
  func receiptFirst() async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    #expect(try await scene.receipt(marks).told == "200 recorded")
    #expect(try await scene.told(EventScene.item(marks.deliveryID)) == ["duplicate"])
    #expect(try await scene.receipt(marks).told == "200 duplicate")
    #expect(try await scene.rows() == ["1 2"])
    #expect(try await scene.hours() == ["1 1"])
  }

  @Test("Row 4: nor the reverse")
  func eventFirst() async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    #expect(try await scene.told(EventScene.item(marks.deliveryID)) == ["recorded"])
    #expect(try await scene.receipt(marks).told == "200 duplicate")
    #expect(try await scene.rows() == ["1 1"])
    #expect(try await scene.hours() == ["1 1"])
  }

  @Test("Row 5: CLICKED makes no RECEIVED (K9, K30)")
  func clicked() async throws {
    let scene = try await EventScene.make()
    #expect(try await scene.told(EventScene.item(try await scene.marks().deliveryID, "CLICKED")) == ["recorded"])
    #expect(try await scene.rows() == ["2 1"])
    #expect(try await scene.hours() == ["2 1"])
  }

  @Test("Row 7: a logout ends what may be told")
  func logout() async throws {
    let scene = try await EventScene.make()
    _ = try await scene.device.login("u")
    let marks = try await scene.marks()
    _ = try await scene.device.logout()
    try await expectNothing(scene, marks, "BINDING_CHANGED")
  }

  @Test("Row 8: so does the next user")
  func otherUser() async throws {
    let scene = try await EventScene.make()
    _ = try await scene.device.login("u")
    let marks = try await scene.marks()
    #expect(try await scene.device.login("v").json["result"]?.string == "bound")
    try await expectNothing(scene, marks, "BINDING_CHANGED")
  }

  @Test("Row 9: the same user after a logout is another binding")
  func sameUserAgain() async throws {
    let scene = try await EventScene.make()
    _ = try await scene.device.login("u")
    let marks = try await scene.marks()
    _ = try await scene.device.logout()
    _ = try await scene.device.login("u")
    try await expectNothing(scene, marks, "BINDING_CHANGED")
  }

  @Test("Row 10: what was sent to nobody isn't told by a user")
  func loginAfter() async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    _ = try await scene.device.login("u")
    try await expectNothing(scene, marks, "BINDING_CHANGED")
  }

  @Test("Row 11: a login that changes nothing changes nothing here")
  func unchanged() async throws {
    let scene = try await EventScene.make()
    _ = try await scene.device.login("u")
    let marks = try await scene.marks()
    #expect(try await scene.device.login("u").json["result"]?.string == "unchanged")
    #expect(try await scene.told(EventScene.item(marks.deliveryID)) == ["recorded"])
  }

  @Test("Row 12: an erased user's events go, of earlier bindings too, and no later ones come; the counts stay")
  func erased() async throws {
    let scene = try await EventScene.make()
    let other = try await EventScene.make(scene.tenant)
    _ = try await scene.device.login("u")
    let early = try await scene.marks()
    #expect(try await scene.told(EventScene.item(early.deliveryID)) == ["recorded"])
    _ = try await scene.device.login("v")
    #expect(try await scene.told(EventScene.item(try await scene.marks().deliveryID)) == ["recorded"])
    _ = try await scene.device.login("u")
    let late = try await scene.marks()
    #expect(try await scene.told(EventScene.item(late.deliveryID)) == ["recorded"])
    #expect(try await other.told(EventScene.item(try await other.marks().deliveryID)) == ["recorded"])
    let backend = try await Backend.make([.usersWrite], of: scene.tenant)
    #expect(try await backend.delete("/v1/users/u").status == 200)
    // What v told stays.
    #expect(try await scene.rows() == ["1 1"])
    #expect(try await other.rows() == ["1 1"])
    #expect(try await scene.hours() == ["1 4"])
    #expect(try await scene.told(EventScene.item(late.deliveryID, "CLICKED")) == ["BINDING_CHANGED"])
    #expect(try await scene.receipt(early).told == "409 BINDING_CHANGED")
    #expect(try await scene.rows() == ["1 1"])
  }

  /// Neither the app nor the extension can tell it, and nothing was kept or counted.
  private func expectNothing(_ scene: EventScene, _ marks: Marks, _ code: String) async throws {
    #expect(
      try await scene.told(EventScene.item(marks.deliveryID), EventScene.item(marks.deliveryID, "CLICKED")) == [
        code, code,
      ])
    #expect(try await scene.receipt(marks).told == "409 \(code)")
    #expect(try await scene.rows() == [])
    #expect(try await scene.hours() == [])
  }
}
