import JSON
import KitsCore
import KitsStore
import TestSupport
import Testing

@testable import KitsAPI

@Suite("The feed of events")
struct EventFeedTests {
  @Test("A message without recipients tells that it was created and completed")
  func message() async throws {
    let backend = try await Backend.webhooks()
    let reply = try await backend.create(#"{"target":{"external_ids":["nobody"]},"title":"Hello"}"#)
    let id = try #require(reply.json["id"]?.string)
    try await backend.number()
    let feed = try await backend.events()
    #expect(feed.status == 200 && feed.types == ["message.created", "message.completed"])
    let event = try #require(feed.json["data"]?.array?.last)
    #expect(event.at("data", "message_id")?.string == id)
    #expect(event.at("data", "app_id")?.string == backend.tenant.app.text)
    #expect(event.at("data", "state")?.string == "completed" && event.at("data", "targeted") == .integer(0))
    #expect(event["timestamp"]?.string?.hasSuffix("Z") == true)
    let eventID = try #require(event["id"]?.string)
    // The version of a UUIDv7.
    #expect(Array(eventID.utf8)[14] == UInt8(ascii: "7"))
  }

  @Test("A cancel is told once, however often it is asked for")
  func cancel() async throws {
    let backend = try await Backend.webhooks()
    let id = try await backend.message()
    for _ in 0..<2 { _ = try await backend.post("/v1/messages/\(id)/cancel") }
    try await backend.number()
    #expect(try await backend.events().types == ["message.created", "message.canceled"])
  }

  @Test("A create that is replayed is told once")
  func replay() async throws {
    let backend = try await Backend.webhooks()
    let json = #"{"target":{"everyone":true},"title":"Hello"}"#
    for _ in 0..<2 { _ = try await backend.create(json, key: "k") }
    try await backend.number()
    #expect(try await backend.events().types == ["message.created"])
  }

  @Test("Pages follow one another without gap or repetition, and the last cursor waits for what comes")
  func pages() async throws {
    let backend = try await Backend.webhooks()
    for _ in 0..<5 { _ = try await backend.message() }
    try await backend.number()
    var (seen, cursor) = ([String](), "")
    for _ in 0..<3 {
      let page = try await backend.events("?limit=2" + (cursor.isEmpty ? "" : "&after=\(cursor)"))
      seen += (page.json["data"]?.array ?? []).compactMap { $0["id"]?.string }
      cursor = page.cursor
      #expect(page.json["has_more"] == .bool(seen.count < 5))
    }
    #expect(seen.count == 5 && Set(seen).count == 5)
    #expect(try await backend.events("?after=\(cursor)").types == [])
    let id = try await backend.message()
    try await backend.number()
    let next = try await backend.events("?after=\(cursor)")
    #expect(next.json["data"]?.array?.first?.at("data", "message_id")?.string == id)
    // From the beginning again.
    #expect(try await backend.events().types.count == 6)
  }

  @Test("Types and app narrow it")
  func filters() async throws {
    let backend = try await Backend.webhooks()
    let id = try await backend.message()
    _ = try await backend.post("/v1/messages/\(id)/cancel")
    try await backend.number()
    #expect(try await backend.events("?types=message.canceled").types == ["message.canceled"])
    #expect(try await backend.events("?types=message.canceled,message.created").types.count == 2)
    #expect(try await backend.events("?app_id=\(backend.tenant.app.text)").types.count == 2)
    let other = try await backend.addApp()
    #expect(try await backend.events("?app_id=\(other.text)").types == [])
  }

  @Test(
    "A wrong query is refused",
    arguments: [
      ("?types=message.sent", ["types NOT_ALLOWED"]), ("?types=", ["types NOT_ALLOWED"]),
      ("?after=x", ["after BAD_FORMAT"]), ("?limit=0", ["limit TOO_SMALL"]), ("?limit=501", ["limit TOO_LARGE"]),
      ("?app_id=1", ["app_id BAD_FORMAT"]),
    ])
  func wrong(_ query: String, _ faults: [String]) async throws {
    let reply = try await Backend.webhooks().events(query)
    #expect(reply.status == 400 && reply.faults == faults)
  }

  @Test("Another environment sees none of it, and its cursors count for nothing there")
  func otherEnvironment() async throws {
    let backend = try await Backend.webhooks()
    _ = try await backend.message()
    try await backend.number()
    let cursor = try await backend.events().cursor
    let stranger = try await Backend.webhooks()
    #expect(try await stranger.events().types == [])
    #expect(try await stranger.events("?after=\(cursor)").faults == ["after BAD_FORMAT"])
  }

  @Test("Either scope reads it", arguments: [Scope.webhooksWrite, .reportsRead, .messagesRead])
  func scopes(_ scope: Scope) async throws {
    let backend = try await Backend.make([scope])
    #expect(try await backend.events().status == (scope == .messagesRead ? 403 : 200))
  }

  @Test("A pause and its end are told")
  func pause() async throws {
    let backend = try await Backend.make([.webhooksWrite, .appsWrite])
    let path = "/v1/apps/\(backend.tenant.app.text)"
    #expect(try await backend.post(path + "/pause", #"{"apns_environment":"sandbox"}"#).status == 200)
    #expect(try await backend.post(path + "/resume", "{}").status == 200)
    try await backend.number()
    let feed = try await backend.events()
    #expect(feed.types == ["app.paused", "app.resumed"])
    let data = try #require(feed.json["data"]?.array?.first?["data"])
    #expect(data["apns_environments"] == .array([.string("sandbox")]) && data["reason"]?.string == "operator")
  }
}
