import JSON
import KitsCore
import Postgres
import Testing

@testable import KitsAPI

@Suite("GET /v1/installations/{id}/deliveries")
struct HistoryTests {
  private func titles(_ reply: Reply) -> [String] {
    reply.json["data"]?.array?.map { $0["title"]?.string ?? "-" } ?? []
  }

  @Test("messages to it alone and larger ones come in one order, the newest first")
  func merged() async throws {
    let backend = try await Backend.make()
    let phone = try await backend.phone()
    let number = try await backend.number(phone)
    for (title, members) in [
      ("alone", [number]), ("both", [number, number + 1]), ("others", [number - 1, number + 1]), ("again", [number]),
    ] {
      let id = try await backend.message(title)
      try await backend.chunk(id, members: members, outcomes: members.map { $0 == number ? 1 : 32 })
      if title == "both" { try await backend.confirm(id, [number]) }
    }
    let reply = try await backend.get("/v1/installations/\(phone.id)/deliveries")
    #expect(reply.status == 200 && titles(reply) == ["again", "both", "alone"])
    let entry = try #require(reply.json["data"]?.array?[1])
    #expect(
      entry.object?.keys == [
        "message_id", "title", "state", "started_at", "outcome", "reason", "attempts", "resent", "received_at",
        "clicked_at",
      ])
    #expect(entry["outcome"] == .string("accepted") && entry["received_at"]?.string != nil)
    #expect(reply.json["reach"]?.object == ["complete_since": .null, "larger_messages": .integer(2)])
    let short = try await backend.get("/v1/installations/\(phone.id)/deliveries?limit=2")
    #expect(titles(short) == ["again", "both"])
    #expect(short.json.at("reach", "complete_since")?.string != nil)
  }

  @Test("of larger messages the last 200 are looked through, and the answer says since when", arguments: [200, 201])
  func reach(count: Int) async throws {
    let backend = try await Backend.make()
    let phone = try await backend.phone()
    let number = try await backend.number(phone)
    let first = try await backend.message("first")
    try await backend.chunk(first, members: [number, number + 1], outcomes: [1, 1])
    try await backend.running.pool.script(
      """
      INSERT INTO message (
        app_no, message_id, message_no, state, target_kind, expires_at, plan_upto, plan_done, planned, settled,
        created_by
      )
      SELECT app_no, gen_random_uuid(), message_no + (n << 22), 3, 2, now(), 0, true, 2, true, created_by
      FROM message, generate_series(1, \(count - 1)) n WHERE message_id = '\(first)'
      """)
    let reply = try await backend.get("/v1/installations/\(phone.id)/deliveries")
    #expect(reply.json.at("reach", "larger_messages") == .integer(200))
    #expect(titles(reply) == (count == 200 ? ["first"] : []))
    #expect(reply.json.at("reach", "complete_since")?.string != nil)
  }

  @Test(
    "an installation that got nothing has an empty list",
    arguments: [("limit=0", "TOO_SMALL"), ("limit=101", "TOO_LARGE")])
  func empty(query: String, code: String) async throws {
    let backend = try await Backend.make()
    let path = "/v1/installations/\(try await backend.phone().id)/deliveries"
    let reply = try await backend.get("\(path)?limit=100")
    #expect(reply.json["data"] == .array([]))
    #expect(reply.json["reach"]?.object == ["complete_since": .null, "larger_messages": .integer(0)])
    #expect(try await backend.get("\(path)?\(query)").faults == ["limit \(code)"])
  }
}
