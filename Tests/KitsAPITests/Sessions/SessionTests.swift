import Foundation
import JSON
import KitsCore
import TestSupport
import Testing

@testable import KitsAPI

/// K6, and K2 for what sessions tell
struct SessionTests {
  private static func call(_ number: Int, _ seconds: Int, at start: Date = Date()) -> SessionCall {
    SessionCall(session: UUID(), number: number, startedAt: start.ISO8601Format(), seconds: seconds)
  }

  private static func time(_ reply: Reply, _ name: String) -> Date? {
    let text = reply.json[name]?.string ?? ""
    return try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  @Test("A report counts once, fewer seconds change nothing, and more count what is more (K6)")
  func cumulative() async throws {
    let device = try await Tenant.make().device()
    var call = Self.call(1, 30)
    let first = try await device.report(call.json)
    #expect(first.status == 200)
    #expect(first.json["recorded"]?.bool == true)
    #expect(first.json["session_count"]?.integer == 1)
    #expect(first.json["foreground_seconds"]?.integer == 30)
    for seconds in [30, 10, 0] {
      call.seconds = seconds
      call.startedAt = "2026-01-01T00:00:00Z"
      let again = try await device.report(call.json)
      #expect(again.json["recorded"]?.bool == false)
      #expect(again.json["foreground_seconds"]?.integer == 30)
      #expect(again.json["first_session_at"] == first.json["first_session_at"])
    }
    call.seconds = 45
    let more = try await device.report(call.json)
    #expect(more.json["recorded"]?.bool == true)
    #expect(more.json["session_count"]?.integer == 1)
    #expect(more.json["foreground_seconds"]?.integer == 45)
  }

  @Test("A start is taken from thirty days ago to five minutes ahead, and what is beyond for the bound (K6)")
  func clocks() async throws {
    let device = try await Tenant.make().device()
    let early = try await device.report(Self.call(1, 1, at: Date(timeIntervalSince1970: 0)).json)
    let first = try #require(Self.time(early, "first_session_at"))
    #expect(abs(first.timeIntervalSinceNow + 2_592_000) < 60)
    let late = try await device.report(Self.call(2, 1, at: Date(timeIntervalSinceNow: 86_400)).json)
    let last = try #require(Self.time(late, "last_session_at"))
    #expect(abs(last.timeIntervalSinceNow - 300) < 60)
    let between = try await device.report(Self.call(3, 1).json)
    #expect(between.json["first_session_at"] == early.json["first_session_at"])
    #expect(between.json["last_session_at"] == late.json["last_session_at"])
  }

  @Test("Random reports, repeated and out of order, come to the totals of the reference", arguments: [1, 2, 3, 4])
  func reference(seed: Int) async throws {
    let device = try await Tenant.make().device()
    var random = Dice(state: UInt64(seed))
    var reference = SessionReference()
    let sessions = (1...40).map { Self.call($0, 0) }
    for step in 1...150 {
      let newest = min(39, step / 4)
      var call = sessions[max(0, newest - random.below(24))]
      call.seconds = random.below(500)
      let isNew = reference.take(call)
      let reply = try await device.report(call.json)
      #expect(reply.json["recorded"]?.bool == isNew, "seed \(seed), step \(step)")
      #expect(reply.json["session_count"]?.integer == Int64(reference.count), "seed \(seed), step \(step)")
      #expect(reply.json["foreground_seconds"]?.integer == Int64(reference.total), "seed \(seed), step \(step)")
    }
  }

  @Test("Sixteen clients of two nodes that report the same sessions at once count each once (K6)")
  func concurrent() async throws {
    let device = try await Tenant.make().device()
    let other = Device(running: try await RunningAPI(sharing: device.running), id: device.id, token: device.token)
    let start = Date(timeIntervalSinceNow: -1_000)
    let sessions = (1...12).map { Self.call($0, 0, at: start.addingTimeInterval(Double($0))) }
    let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
      for client in 0..<16 {
        group.addTask { try await Self.work(client, sessions, client % 2 == 0 ? device : other) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(statuses.allSatisfy { $0 == 200 })
    // The longest report of each is by client 15.
    let totals = try await device.report(sessions[0].json)
    #expect(totals.json["recorded"]?.bool == false)
    #expect(totals.json["session_count"]?.integer == 12)
    let expected: Int64 = 12 * 115
    #expect(totals.json["foreground_seconds"]?.integer == expected)
    let first = try #require(Self.time(totals, "first_session_at"))
    let last = try #require(Self.time(totals, "last_session_at"))
    #expect(last.timeIntervalSince(first) == 11)
  }

  private static func work(_ client: Int, _ sessions: [SessionCall], _ device: Device) async throws -> [Int] {
    var random = Dice(state: UInt64(client))
    var statuses: [Int] = []
    for var call in sessions.shuffled(using: &random) {
      call.seconds = 100 + client
      // More than eight at a time for one installation are told to come again.
      var status = 503
      while status == 503 { status = try await device.report(call.json).status }
      statuses.append(status)
    }
    return statuses
  }

  @Test(
    "Without consent to activity a report is refused, and nothing else is (K2)",
    arguments: [#"{"enabled":false}"#, #"{"activity":false}"#])
  func consent(collection: String) async throws {
    let device = try await Tenant.make().device()
    let call = Self.call(1, 30)
    #expect(try await device.patch(#"{"state_revision":2,"collection":\#(collection)}"#).status == 200)
    let refused = try await device.report(call.json)
    #expect(refused.status == 409)
    #expect(refused.code == "COLLECTION_OFF")
    #expect(refused.json["retryable"]?.bool == false)
    let token = try await device.patch(#"{"state_revision":3,"push_token":"\#(Tenant.pushToken())"}"#)
    #expect(token.json["reachable"]?.bool != false)
    let on = #"{"state_revision":4,"collection":{"enabled":true,"activity":true}}"#
    #expect(try await device.patch(on).status == 200)
    #expect(try await device.report(call.json).json["session_count"]?.integer == 1)
  }

  @Test("Other features that are off leave sessions alone (K2)")
  func otherFeatures() async throws {
    let device = try await Tenant.make().device()
    let off = #"{"state_revision":2,"collection":{"users":false,"events":false,"notification_events":false}}"#
    #expect(try await device.patch(off).status == 200)
    #expect(try await device.report(Self.call(1, 1).json).status == 200)
  }

  @Test("All wrong fields are told at once")
  func fields() async throws {
    let device = try await Tenant.make().device()
    let wrong = try await device.report(
      #"{"session_id":"x","number":0,"started_at":"today","foreground_seconds":2592001,"ended":1}"#)
    #expect(wrong.status == 422)
    #expect(wrong.faults.count == 5)
    #expect(try await device.report("{}").faults.count == 4)
    var call = Self.call(1, 2_592_000)
    call.number = 9_007_199_254_740_991
    #expect(try await device.report(call.json).status == 200)
  }

  @Test("The token of a deleted installation is refused")
  func gone() async throws {
    let device = try await Tenant.make().device()
    _ = try await device.delete()
    #expect(try await device.report(Self.call(1, 1).json).code == "DEVICE_TOKEN_INVALID")
  }

  @Test("Reports are HOT updates unless the page is full: no index has what they write", .timeLimit(.minutes(2)))
  func hot() async throws {
    let running = try await RunningAPI(url: TestDatabase.make().url)
    let device = try await Tenant.make(running).device()
    for number in 1...40 { #expect(try await device.report(Self.call(number, 5).json).status == 200) }
    // The server's connection reports its statistics within seconds.
    let updates = try await eventually("the updates are counted") {
      let count = try await running.count("SELECT n_tup_upd FROM pg_stat_user_tables WHERE relname = 'installation'")
      return count >= 40 ? count : nil
    }
    let hot = try await running.count("SELECT n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'installation'")
    // A row that grows leaves a full page now and then, and then only.
    #expect(hot * 10 >= updates * 9)
    let indexed = try await running.count(
      """
      SELECT count(*) FROM pg_index x JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = ANY (x.indkey)
      WHERE x.indrelid = 'installation'::regclass
        AND (a.attname LIKE '%session%' OR a.attname = 'foreground_seconds')
      """)
    #expect(indexed == 0)
  }
}

/// The same numbers from the same seed.
private struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
