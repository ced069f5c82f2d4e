import JSON
import KitsCore
import Postgres
import Testing

@testable import KitsAPI

@Suite("What devices confirmed of a message")
struct EngagementTests {
  @Test("K9 K11: engagement stands beside the ledger, with honest bases, and never changes it")
  func detail() async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    try await backend.chunk(id, members: [1, 2, 3, 4, 5], outcomes: [1, 1, 18, 32, 3])
    let before = try await backend.get("/v1/messages/\(id)")
    #expect(before.json["tracking"]?.object == ["events": .bool(false), "receipts": .bool(false)])
    #expect(before.json["engagement"] == .null)
    try await backend.track(id)
    try await backend.confirm(id, [1, 3])
    try await backend.confirm(id, [2], type: 2)
    let events = try await backend.get("/v1/messages/\(id)")
    let text = String(decoding: events.body, as: UTF8.self)
    #expect(text.contains(#""engagement":{"received":2,"clicked":1,"could_confirm":{"received":null,"clicked":3}}"#))
    #expect(events.json["ledger"] == before.json["ledger"])
    try await backend.track(id, receipts: true)
    let receipts = try await backend.get("/v1/messages/\(id)")
    #expect(receipts.json["engagement"]?.at("could_confirm", "received") == .integer(3))
  }

  @Test("K12: the timeline has every hour from the first to now, and adds up to the totals")
  func timeline() async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    let path = "/v1/messages/\(id)/timeline"
    try await backend.track(id)
    let empty = try await backend.get(path)
    #expect(empty.status == 200 && empty.json["hours"] == .array([]))
    #expect(empty.json["refresh_after_seconds"] == .integer(5))
    try await backend.confirm(id, [1, 2, 3], hoursAgo: 5)
    try await backend.confirm(id, [1], type: 2, hoursAgo: 3)
    let reply = try await backend.get(path)
    let hours = try #require(reply.json["hours"]?.array)
    // Six, or seven when an hour began meanwhile.
    #expect((6...7).contains(hours.count))
    #expect(hours.prefix(3).map { $0["received"]?.integer } == [3, 0, 0])
    #expect(hours.prefix(3).map { $0["clicked"]?.integer } == [0, 0, 1])
    for name in ["received", "clicked"] {
      let sum = hours.reduce(0) { $0 + ($1[name]?.integer ?? 0) }
      #expect(reply.json["totals"]?[name] == .integer(sum))
      #expect(try await backend.get("/v1/messages/\(id)").json["engagement"]?[name] == .integer(sum))
    }
    #expect(hours.allSatisfy { $0["hour"]?.string?.hasSuffix(":00:00.000Z") == true })
  }

  @Test("an old message's timeline ends with its last hour and needs no refreshing")
  func old() async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    try await backend.chunk(id, members: [1], outcomes: [1])
    try await backend.track(id)
    try await backend.confirm(id, [1], hoursAgo: 47)
    try await backend.running.pool.script(
      "UPDATE message SET started_at = now() - interval '48 hours' WHERE message_id = '\(id)'")
    let reply = try await backend.get("/v1/messages/\(id)/timeline")
    #expect(reply.json["hours"]?.array?.count == 1)
    #expect(reply.json["refresh_after_seconds"] == .null)
  }

  @Test("without tracking the timeline is empty and says so")
  func untracked() async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    let reply = try await backend.get("/v1/messages/\(id)/timeline")
    #expect(reply.status == 200 && reply.json.at("tracking", "events") == .bool(false))
    #expect(reply.json["hours"] == .array([]) && reply.json["refresh_after_seconds"] == .null)
    #expect(reply.json["message_id"] == .string(id))
  }
}
