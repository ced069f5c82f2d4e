import KitsCore
import Testing

@Suite("Timelines and engagement")
struct TimelineTests {
  static let hour: Int64 = 3_600_000_000
  static let tracked = Tracking(events: true, receipts: false)

  static func at(_ hours: Int64, _ rest: Int64 = 0) -> Timestamp {
    Timestamp(microseconds: 490_000 * hour + hours * hour + rest)
  }

  static func counted(_ hours: Int64...) -> [Timeline.Hour] {
    hours.map { Timeline.Hour(start: at($0), received: $0 + 1, clicked: 1) }
  }

  @Test("K12: hours without anything are there, from the first to the last")
  func gaps() {
    let timeline = Timeline(
      tracking: Self.tracked, counted: Self.counted(1, 4), startedAt: Self.at(0), readAt: Self.at(99))
    #expect(timeline.hours.map(\.received) == [2, 0, 0, 5])
    #expect(timeline.hours.map(\.start) == [Self.at(1), Self.at(2), Self.at(3), Self.at(4)])
    #expect(timeline.received == 7 && timeline.clicked == 2)
    #expect(!timeline.isYoung)
  }

  @Test("K12: a young message goes on to the hour of now, and is empty before the first")
  func young() {
    let now = Self.at(6, 5)
    let timeline = Timeline(tracking: Self.tracked, counted: Self.counted(4), startedAt: Self.at(3), readAt: now)
    #expect(timeline.isYoung && timeline.hours.map(\.received) == [5, 0, 0])
    let empty = Timeline(tracking: Self.tracked, counted: [], startedAt: Self.at(3), readAt: now)
    #expect(empty.isYoung && empty.hours.isEmpty)
  }

  @Test(
    "A message is young for a day",
    arguments: [(Limits.timelineYoungSeconds - 1, true), (Limits.timelineYoungSeconds, false)])
  func age(seconds: Int64, isYoung: Bool) {
    let timeline = Timeline(
      tracking: Self.tracked, counted: [], startedAt: Self.at(0), readAt: Self.at(0, seconds * 1_000_000))
    #expect(timeline.isYoung == isYoung)
    let silent = Timeline(
      tracking: Tracking(events: false, receipts: false), counted: [], startedAt: Self.at(0), readAt: Self.at(0))
    #expect(!silent.isYoung)
  }

  static func ledger(accepted: Int64, unknown: Int64) -> Ledger {
    Ledger(
      targeted: 10,
      reasons: [
        Ledger.ReasonCount(outcomeClass: .accepted, reason: "accepted", count: accepted),
        Ledger.ReasonCount(outcomeClass: .unknown, reason: "unknown", count: unknown),
        Ledger.ReasonCount(outcomeClass: .failed, reason: "Unregistered", count: 10 - accepted - unknown),
      ])
  }

  @Test("K9: the base is what a device may have; without receipts RECEIVED has none, without tracking nothing has")
  func bases() throws {
    let ledger = Self.ledger(accepted: 6, unknown: 1)
    let events = Engagement(tracking: Self.tracked, received: 2, clicked: 1).couldConfirm(ledger)
    #expect(events?.received == nil && events?.clicked == 7)
    let both = Tracking(events: true, receipts: true)
    let receipts = Engagement(tracking: both, received: 2, clicked: 1).couldConfirm(ledger)
    #expect(receipts?.received == 7 && receipts?.clicked == 7)
    let silent = Engagement(tracking: Tracking(events: false, receipts: false), received: 0, clicked: 0)
    #expect(silent.couldConfirm(ledger) == nil)
  }

  @Test("K11: whoever confirmed could, however far the ledger is")
  func early() {
    let both = Tracking(events: true, receipts: true)
    let early = Engagement(tracking: both, received: 3, clicked: 2).couldConfirm(Self.ledger(accepted: 1, unknown: 0))
    #expect(early?.received == 3 && early?.clicked == 3)
  }
}
