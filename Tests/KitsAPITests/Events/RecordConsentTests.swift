import Crypto
import Foundation
import JSON
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsAPI

/// K31: rows of `docs/record-rules.md` about consent, age and what devices say of time.
struct RecordConsentTests {
  private static let allOff = #"{"state_revision":2,"collection":{"enabled":false}}"#
  private static let featureOff = #"{"state_revision":2,"collection":{"notification_events":false}}"#

  @Test("Row 13: without collection nothing is taken, and what was taken stays (K2)")
  func collectionOff() async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    #expect(try await scene.told(EventScene.item(marks.deliveryID)) == ["recorded"])
    try await scene.patch(Self.allOff)
    #expect(try await scene.told(EventScene.item(marks.deliveryID, "CLICKED")) == ["COLLECTION_OFF"])
    #expect(try await scene.rows() == ["1 1"])
    #expect(try await scene.hours() == ["1 1"])
  }

  @Test("Row 14: the feature alone is enough")
  func featureOff() async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    try await scene.patch(Self.featureOff)
    #expect(try await scene.told(EventScene.item(marks.deliveryID)) == ["COLLECTION_OFF"])
    #expect(try await scene.rows() == [])
  }

  @Test("Row 15: a feature that was switched off stays off when collection is switched on (K2)")
  func featureStaysOff() async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    try await scene.patch(Self.featureOff)
    try await scene.patch(#"{"state_revision":3,"collection":{"enabled":false}}"#)
    try await scene.patch(#"{"state_revision":4,"collection":{"enabled":true}}"#)
    #expect(try await scene.told(EventScene.item(marks.deliveryID)) == ["COLLECTION_OFF"])
  }

  @Test("Row 16: consent that is given again takes what waited on the device")
  func consentAgain() async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    try await scene.patch(Self.allOff)
    #expect(try await scene.told(EventScene.item(marks.deliveryID)) == ["COLLECTION_OFF"])
    try await scene.patch(#"{"state_revision":3,"collection":{"enabled":true}}"#)
    #expect(try await scene.told(EventScene.item(marks.deliveryID)) == ["recorded"])
  }

  @Test(
    "Row 17: the extension's own consent decides about receipts (K14)", arguments: ["enabled", "notification_events"])
  func receipts(member: String) async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    try await scene.patch("{\"state_revision\":2,\"collection\":{\"\(member)\":false}}")
    #expect(try await scene.receipt(marks).told == "200 recorded")
    #expect(try await scene.rows() == ["1 2"])
  }

  @Test("Row 18: in COPPA mode nothing is taken, by either way (T6)")
  func coppa() async throws {
    let scene = try await EventScene.make(nil, #"{"platform":"ios","coppa":true}"#)
    let marks = try await scene.marks()
    #expect(try await scene.told(EventScene.item(marks.deliveryID)) == ["COLLECTION_OFF"])
    #expect(try await scene.receipt(marks).told == "409 COLLECTION_OFF")
    #expect(try await scene.rows() == [])
    #expect(try await scene.hours() == [])
  }

  /// Makes the day of a message as if it had been kept.
  private func keep(_ message: MessageNumber, _ scene: EventScene) async throws {
    try await scene.running.pool.script(
      """
      DO $$ DECLARE day date := (to_timestamp((\(message.value) >> 22) / 1000.0) AT TIME ZONE 'UTC')::date;
      BEGIN
        -- Two that make the same one at once would both find it missing.
        PERFORM pg_advisory_xact_lock(1);
        EXECUTE format(
          'CREATE TABLE IF NOT EXISTS notification_event_%s PARTITION OF notification_event
            FOR VALUES FROM (%s) TO (%s)',
          to_char(day, 'YYYYMMDD'), (extract(epoch FROM day::timestamp AT TIME ZONE 'UTC') * 1000)::bigint << 22,
          (extract(epoch FROM (day + 1)::timestamp AT TIME ZONE 'UTC') * 1000)::bigint << 22);
      END $$
      """)
  }

  @Test("Row 19: thirty days late is taken, a moment more is too old", arguments: [true, false])
  func age(isEarly: Bool) async throws {
    let scene = try await EventScene.make()
    let days = isEarly ? 29.99 : 30.001
    let message = EventScene.message(daysAgo: days)
    try await keep(message, scene)
    let marks = try await scene.marks(of: message)
    let expected = isEarly ? "recorded" : "TOO_OLD"
    #expect(try await scene.told(EventScene.item(marks.deliveryID, "CLICKED")) == [expected])
    #expect(try await scene.receipt(marks).told == (isEarly ? "200 recorded" : "410 TOO_OLD"))
    #expect(try await scene.rows() == (isEarly ? ["1 2", "2 1"] : []))
  }

  @Test("Row 20: a day that isn't kept fails none of the others")
  func missingDay() async throws {
    let scene = try await EventScene.make()
    let gone = try await scene.marks(of: EventScene.message(daysAgo: 12))
    let here = try await scene.marks()
    #expect(
      try await scene.told(EventScene.item(here.deliveryID), EventScene.item(gone.deliveryID)) == [
        "recorded", "TOO_OLD",
      ])
    #expect(try await scene.receipt(gone).told == "410 TOO_OLD")
    #expect(try await scene.rows() == ["1 1"])
  }

  @Test(
    "Row 21: refusing pushes is no refusal of collection",
    arguments: [#""push_preference":false"#, #""permission":"denied""#])
  func optedOut(change: String) async throws {
    let scene = try await EventScene.make()
    let marks = try await scene.marks()
    try await scene.patch("{\"state_revision\":2,\(change)}")
    #expect(try await scene.told(EventScene.item(marks.deliveryID)) == ["recorded"])
  }

  @Test(
    "Row 29: a device's clock is never a reason to refuse; its time is put between sending and now",
    arguments: ["1970-01-01T00:00:00Z", "2999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"])
  func clocks(time: String) async throws {
    let scene = try await EventScene.make()
    let message = EventScene.message(daysAgo: 0.5)
    try await keep(message, scene)
    let marks = try await scene.marks(of: message)
    #expect(try await scene.told(EventScene.item(marks.deliveryID, at: time)) == ["recorded"])
    let sent = "to_timestamp((\(message.value) >> 22) / 1000.0)"
    let kept = try await scene.running.count(
      """
      SELECT count(*) FROM notification_event
      WHERE message_no = \(message.value) AND occurred_at BETWEEN \(sent) AND now()
        AND abs(extract(epoch FROM occurred_at - least(greatest('\(time)', \(sent)), now()))) < 60
      """)
    #expect(kept == 1)
  }
}
