import JSON
import KitsCore
import Testing

@testable import KitsAPI

@Suite("GET /v1/messages")
struct ListMessagesTests {
  private func titles(_ reply: Reply) -> [String] {
    reply.json["data"]?.array?.map { $0["title"]?.string ?? "-" } ?? []
  }

  @Test("pages go back in the order of creation and don't shift when a message is created meanwhile")
  func pages() async throws {
    let backend = try await Backend.make()
    for number in 1...5 { _ = try await backend.message("m\(number)") }
    let first = try await backend.get("/v1/messages?limit=2")
    #expect(first.status == 200)
    #expect(titles(first) == ["m5", "m4"])
    _ = try await backend.message("m6")
    let second = try await backend.get("/v1/messages?limit=2&cursor=\(try #require(first.json["next_cursor"]?.string))")
    #expect(titles(second) == ["m3", "m2"])
    let third = try await backend.get("/v1/messages?limit=2&cursor=\(try #require(second.json["next_cursor"]?.string))")
    #expect(titles(third) == ["m1"])
    #expect(third.json["next_cursor"] == .null)
    let exact = try await backend.get("/v1/messages?limit=6")
    #expect(titles(exact).count == 6 && exact.json["next_cursor"] == .null)
  }

  @Test("an entry is the summary of a message")
  func summary() async throws {
    let backend = try await Backend.make()
    _ = try await backend.create(#"{"target":{"everyone":true},"ios_badge":1}"#)
    let reply = try await backend.get("/v1/messages")
    let entry = try #require(reply.json["data"]?.array?.first)
    #expect(
      entry.object?.keys == [
        "id", "app_id", "state", "planned", "matched", "title", "created_at", "send_at", "expires_at", "started_at",
        "completed_at", "canceled_at",
      ])
    #expect(entry["title"] == .null)
    #expect(entry["created_at"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
  }

  @Test("20 are answered when no limit is given")
  func defaultLimit() async throws {
    let backend = try await Backend.make()
    for number in 1...21 { _ = try await backend.message("m\(number)") }
    let reply = try await backend.get("/v1/messages")
    #expect(titles(reply).count == 20)
    #expect(reply.json["next_cursor"]?.string != nil)
  }

  @Test("the list can be narrowed to an app and to a state")
  func filters() async throws {
    let backend = try await Backend.make()
    let done = try await backend.message("done")
    try await backend.deliver(done, state: .completed, outcomes: [1])
    _ = try await backend.message("planning")
    let second = try await backend.addApp()
    _ = try await backend.create(#"{"target":{"everyone":true},"title":"second","app_id":"\#(second.text)"}"#)
    #expect(titles(try await backend.get("/v1/messages")) == ["second", "planning", "done"])
    #expect(titles(try await backend.get("/v1/messages?app_id=\(second.text)")) == ["second"])
    #expect(titles(try await backend.get("/v1/messages?state=completed")) == ["done"])
    let both = try await backend.get("/v1/messages?state=planning&app_id=\(backend.tenant.app.text)")
    #expect(titles(both) == ["planning"])
    for state in ["scheduled", "paused", "refused", "canceled"] {
      let reply = try await backend.get("/v1/messages?state=\(state)")
      #expect(reply.status == 200 && titles(reply) == [] && reply.json["next_cursor"] == .null)
    }
  }

  @Test("another environment's messages are not listed, and its app is not found")
  func strangers() async throws {
    let stranger = try await Backend.make()
    _ = try await stranger.message()
    let backend = try await Backend.make()
    #expect(titles(try await backend.get("/v1/messages")) == [])
    let reply = try await backend.get("/v1/messages?app_id=\(stranger.tenant.app.text)")
    #expect(reply.status == 404 && reply.code == "NOT_FOUND" && reply.faults == ["app_id NOT_FOUND"])
  }

  @Test(
    "wrong parameters are named",
    arguments: [
      ("limit=0", "limit TOO_SMALL"), ("limit=101", "limit TOO_LARGE"), ("limit=ten", "limit BAD_FORMAT"),
      ("limit=", "limit BAD_FORMAT"), ("state=sent", "state NOT_ALLOWED"), ("app_id=x", "app_id BAD_FORMAT"),
      ("cursor=x", "cursor BAD_FORMAT"), ("cursor=", "cursor BAD_FORMAT"), ("limit=1&limit=2", "limit DUPLICATE"),
      ("page=2", "page UNKNOWN_FIELD"),
    ])
  func wrongParameters(query: String, fault: String) async throws {
    let backend = try await Backend.make()
    let reply = try await backend.get("/v1/messages?\(query)")
    #expect(reply.status == 400 && reply.code == "QUERY_INVALID" && reply.faults == [fault])
  }

  @Test("a cursor is only good for the list it came from, unchanged")
  func cursors() async throws {
    let backend = try await Backend.make()
    for number in 1...3 { _ = try await backend.message("m\(number)") }
    let cursor = try #require(try await backend.get("/v1/messages?limit=1").json["next_cursor"]?.string)
    let tampered = (cursor.first == "A" ? "B" : "A") + cursor.dropFirst()
    let stranger = try await Backend.make()
    let refused = [
      try await backend.get("/v1/messages?limit=1&cursor=\(tampered)"),
      try await backend.get("/v1/messages?limit=1&state=planning&cursor=\(cursor)"),
      try await backend.get("/v1/messages?limit=1&app_id=\(backend.tenant.app.text)&cursor=\(cursor)"),
      try await stranger.get("/v1/messages?limit=1&cursor=\(cursor)"),
    ]
    for reply in refused {
      #expect(reply.status == 400 && reply.code == "QUERY_INVALID" && reply.faults == ["cursor BAD_FORMAT"])
    }
    #expect(titles(try await backend.get("/v1/messages?limit=2&cursor=\(cursor)")) == ["m2", "m1"])
  }
}
