import JSON
import KitsCore
import Testing

@testable import KitsAPI

@Suite("K26: POST /v1/messages")
struct CreateMessageTests {
  @Test("a message is stored with its payloads and answered in full")
  func creates() async throws {
    let backend = try await Backend.make()
    let reply = try await backend.create(
      """
      {"target":{"everyone":true},"title":"Hello","body":"B","localizations":{"de-AT":{"title":"Servus"}},\
      "ios_category":"ORDER","image_url":"https://cdn.example.com/a.png","ttl_seconds":30}
      """)
    #expect(reply.status == 201)
    #expect(reply.header("Cache-Control") == "no-store")
    #expect(reply.header("Idempotent-Replayed") == nil)
    let id = try #require(reply.json["id"]?.string)
    #expect(reply.header("Location") == "/v1/messages/\(id)")
    #expect(
      reply.json.object?.keys == [
        "id", "app_id", "state", "planned", "matched", "title", "created_at", "send_at", "expires_at", "started_at",
        "completed_at", "canceled_at", "unmatched",
      ])
    #expect(reply.json["app_id"]?.string == backend.tenant.app.text)
    #expect(reply.json["state"] == .string("planning") && reply.json["planned"] == .bool(false))
    #expect(reply.json["title"] == .string("Hello"))
    for name in ["send_at", "started_at", "completed_at", "canceled_at"] { #expect(reply.json[name] == .null) }
    #expect(reply.json["unmatched"] == (try JSON.parse(Array(#"{"count":0,"sample":[]}"#.utf8))))
    try await expectRows(of: id, backend)
  }

  /// The row as delivery reads it: what was rendered, under the id that was answered (K15, K16).
  private func expectRows(of id: String, _ backend: Backend) async throws {
    let ours = #""kits_version":1,"kits_message_id":"\#(id)","kits_image_url":"https://cdn.example.com/a.png"}"#
    let base = #"{"aps":{"alert":{"title":"Hello","body":"B"},"category":"ORDER","mutable-content":1},\#(ours)"#
    let german = #"{"aps":{"alert":{"title":"Servus","body":"B"},"category":"ORDER","mutable-content":1},\#(ours)"#
    let matching = try await backend.running.count(
      """
      SELECT count(*) FROM message m JOIN message_body b USING (app_no, message_no)
      WHERE m.message_id = '\(id)' AND m.state = 1 AND m.target_kind = 2 AND m.on_unknown = 1 AND NOT m.plan_done
        AND b.languages = '{de-at}' AND b.push_type = 1 AND b.priority = 10 AND b.ttl_seconds = 30
        AND b.collapse_id IS NULL AND m.expires_at = m.created_at + interval '60 seconds'
        AND b.payloads = ARRAY[convert_to('\(base)', 'UTF8'), convert_to('\(german)', 'UTF8')]
      """)
    #expect(matching == 1)
  }

  @Test("collapse id, priority, kind and on_unknown reach their columns")
  func columns() async throws {
    let backend = try await Backend.make()
    _ = try await backend.create(
      #"{"target":{"everyone":true},"content_available":true,"collapse_id":"c 1","on_unknown":"skip","ttl_seconds":0}"#)
    let matching = try await backend.running.count(
      """
      SELECT count(*) FROM message m JOIN message_body b USING (app_no, message_no) JOIN app a USING (app_no)
      WHERE a.app_id = '\(backend.tenant.app.text)' AND m.on_unknown = 2 AND b.push_type = 2 AND b.priority = 5
        AND b.ttl_seconds = 0 AND b.collapse_id = 'c 1'
      """)
    #expect(matching == 1)
  }

  @Test("wrong fields are 422 with every pointer, and nothing is written")
  func wrongFields() async throws {
    let backend = try await Backend.make()
    let reply = try await backend.create(
      #"{"target":{},"title":1,"body":"","ios_badge":-1,"extra":true,"app_id":"x","send_at":"soon"}"#)
    #expect(reply.status == 422 && reply.code == "BODY_INVALID")
    #expect(
      reply.faults == [
        "/title WRONG_TYPE", "/body TOO_SHORT", "/ios_badge TOO_SMALL", "/target CONFLICT", "/app_id BAD_FORMAT",
        "/send_at NOT_AVAILABLE_YET", "/extra UNKNOWN_FIELD",
      ])
    #expect(reply.json["retryable"] == .bool(false))
    let later = try await backend.create(#"{"target":{"everyone":true},"title":"a","track_events":true}"#)
    #expect(later.status == 422 && later.code == "NOT_AVAILABLE_YET")
    #expect(later.faults == ["/track_events NOT_AVAILABLE_YET"])
    #expect(try await backend.messageCount() == 0)
  }

  @Test("a payload that is too large is refused when the message is created")
  func tooLarge() async throws {
    let backend = try await Backend.make()
    let text = String(repeating: "ä", count: 2_000)
    let reply = try await backend.create(
      #"{"target":{"everyone":true},"title":"a","localizations":{"de":{"body":"\#(text)"}}}"#)
    #expect(reply.status == 422 && reply.code == "PAYLOAD_TOO_LARGE_FOR_APNS")
    #expect(reply.faults == ["/localizations/de TOO_LARGE"])
    #expect(try await backend.messageCount() == 0)
  }

  @Test(
    "what isn't strict JSON is 400",
    arguments: [
      "", "[]", "null", "\"x\"", "{", "{\"title\":\"a\",\"title\":\"b\"}", "{\"title\":\"\\u0000\"}",
      "{\"title\":1e999}",
      "{\"title\":\"\\ud800\"}", "{} x", "{\"ios_badge\":99999999999999999999999}",
      String(repeating: "{\"a\":", count: 33) + "1" + String(repeating: "}", count: 33),
    ])
  func notJSON(body: String) async throws {
    let backend = try await Backend.make()
    for path in ["/v1/messages", "/v1/messages/validate"] {
      let reply = try await backend.post(path, body)
      #expect(reply.status == 400 && reply.code == "INVALID_JSON")
    }
    #expect(try await backend.messageCount() == 0)
  }

  @Test("the app may be left out when the environment has exactly one")
  func apps() async throws {
    let backend = try await Backend.make()
    let second = try await backend.addApp()
    let fields = #""target":{"everyone":true},"title":"a""#
    for absent in ["", #","app_id":null"#] {
      let reply = try await backend.create("{\(fields)\(absent)}")
      #expect(reply.status == 422 && reply.code == "APP_REQUIRED")
    }
    let named = try await backend.create("{\(fields),\"app_id\":\"\(second.text.uppercased())\"}")
    #expect(named.status == 201)
    #expect(named.json["app_id"]?.string == second.text)
    let malformed = try await backend.create("{\(fields),\"app_id\":\"nope\"}")
    #expect(malformed.status == 422 && malformed.faults == ["/app_id BAD_FORMAT"])
    let stranger = try await Tenant.make()
    for id in [stranger.app.text, "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"] {
      let reply = try await backend.create("{\(fields),\"app_id\":\"\(id)\"}")
      #expect(reply.status == 404 && reply.code == "NOT_FOUND")
      #expect(reply.faults == ["/app_id NOT_FOUND"])
    }
    #expect(try await backend.messageCount() == 1)
  }

  @Test("ids that the app doesn't have are counted as unmatched, in the order of the request")
  func unmatched() async throws {
    let backend = try await Backend.make()
    let own = try await backend.tenant.device().id
    let foreign = try await Tenant.make().device().id
    let unknown = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
    let ids = [unknown, own, foreign, own.uppercased(), unknown].map { "\"\($0)\"" }.joined(separator: ",")
    let body = "{\"target\":{\"installation_ids\":[\(ids)]},\"title\":\"a\"}"
    let expected = try JSON.parse(Array("{\"count\":2,\"sample\":[\"\(unknown)\",\"\(foreign)\"]}".utf8))
    let validated = try await backend.validate(body)
    #expect(validated.json["unmatched"] == expected)
    let created = try await backend.create(body)
    #expect(created.status == 201)
    #expect(created.json["unmatched"] == expected)
    let id = try #require(created.json["id"]?.string)
    let read = try await backend.get("/v1/messages/\(id)")
    #expect(read.json["unmatched"] == expected)
    #expect(read.json.at("target", "kind") == .string("installation_ids"))
    #expect(read.json.at("target", "requested") == .integer(3))
    let members = try await backend.running.count(
      """
      SELECT plan_upto FROM message WHERE message_id = '\(id)'
      """)
    #expect(members == 1)
  }

  @Test("20,000 ids are taken in one call, and the sample holds the first 20")
  func manyIDs() async throws {
    let backend = try await Backend.make()
    let ids = (0..<20_000).map { number in
      let digits = String(number, radix: 16)
      return "\"01936b2e-8c4f-7d21-9a53-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits + "\""
    }
    let reply = try await backend.create(
      "{\"target\":{\"installation_ids\":[\(ids.joined(separator: ","))]},\"title\":\"a\"}")
    #expect(reply.status == 201)
    #expect(reply.json["unmatched"]?["count"] == .integer(20_000))
    let sample = reply.json["unmatched"]?["sample"]?.array?.compactMap(\.string)
    #expect(sample?.map { "\"\($0)\"" } == Array(ids.prefix(20)))
  }

  @Test("a body over 2 MB is refused before it is read")
  func bodyLimit() async throws {
    let backend = try await Backend.make()
    let padding = String(repeating: " ", count: Limits.messageBodyBytes)
    let reply = try await backend.create("{\(padding)}")
    #expect(reply.status == 413 && reply.code == "BODY_TOO_LARGE")
  }
}
