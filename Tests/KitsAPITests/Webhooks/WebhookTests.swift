import Crypto
import JSON
import KitsCore
import KitsStore
import Postgres
import TestSupport
import Testing

@testable import KitsAPI

@Suite("Webhooks of an environment")
struct WebhookTests {
  @Test("One is made with a secret that is shown once")
  func create() async throws {
    let backend = try await Backend.webhooks()
    let reply = try await backend.post("/v1/webhooks", Backend.hook)
    #expect(reply.status == 201 && reply.header("Cache-Control") == "no-store")
    let id = try #require(reply.json["id"]?.string)
    #expect(reply.header("Location") == "/v1/webhooks/\(id)")
    let secret = try #require(reply.json["secret"]?.string)
    #expect(secret.hasPrefix("whsec_") && Base64.decode(String(secret.dropFirst(6)))?.count == 32)
    // In the order of a message's life, whatever order they were given in.
    #expect(reply.json["event_types"] == .array([.string("message.created"), .string("message.completed")]))
    #expect(reply.json["enabled"] == .bool(true) && reply.json["app_id"] == .null)
    let read = try await backend.get("/v1/webhooks/\(id)")
    #expect(read.status == 200 && read.json["secret"] == nil)
    #expect(!String(decoding: read.body, as: UTF8.self).contains(secret.dropFirst(6)))
    var shown = try #require(reply.json.object)
    shown["secret"] = nil
    #expect(read.json == .object(shown))
    let list = try await backend.get("/v1/webhooks")
    #expect(list.json["data"] == .array([.object(shown)]))
  }

  @Test("The secret lies encrypted, bound to its webhook")
  func sealed() async throws {
    let backend = try await Backend.webhooks()
    let (id, secret) = try await backend.webhook()
    let rows = try await backend.running.texts(
      "SELECT encode(secret, 'hex') FROM webhook WHERE webhook_id = '\(id)'")
    let sealed = try #require(Hex.decode(rows.first ?? ""))
    let ring = backend.running.keys
    let bytes = try ring.open(sealed, id: "k1", for: .webhookSecret, context: "webhook \(id)")
    #expect("whsec_" + Base64.encode(bytes) == secret)
    #expect(throws: CryptoError.self) {
      try ring.open(sealed, id: "k1", for: .webhookSecret, context: "webhook \(UUIDv7.make(now: 1))")
    }
  }

  @Test("A secret may be one's own; its length has limits")
  func ownSecret() async throws {
    let backend = try await Backend.webhooks()
    func create(_ bytes: Int) async throws -> Reply {
      let secret = "whsec_" + Base64.encode(SystemRandom.bytes(bytes))
      return try await backend.post(
        "/v1/webhooks", #"{"url":"https://h.example.com","event_types":["app.paused"],"secret":"\#(secret)"}"#)
    }
    for bytes in [24, 64] { #expect(try await create(bytes).status == 201) }
    for bytes in [23, 65] { #expect(try await create(bytes).faults == ["/secret BAD_FORMAT"]) }
  }

  @Test(
    "A wrong body names all of its faults",
    arguments: [
      (#"{}"#, ["/url MISSING", "/event_types MISSING"]),
      (
        #"{"url":"http://h.example.com","event_types":["message.sent"]}"#,
        ["/url BAD_FORMAT", "/event_types/0 NOT_ALLOWED"]
      ),
      (#"{"url":"https://10.0.0.1/","event_types":[]}"#, ["/url BAD_FORMAT", "/event_types TOO_FEW"]),
      (
        #"{"url":"https://h.example.com","event_types":["app.paused","app.paused"],"x":1,"secret":"s"}"#,
        ["/event_types/1 DUPLICATE", "/secret BAD_FORMAT", "/x UNKNOWN_FIELD"]
      ),
      (#"{"url":"https://h.example.com","event_types":["app.paused"],"description":""}"#, ["/description TOO_SHORT"]),
    ])
  func faults(_ json: String, _ faults: [String]) async throws {
    let backend = try await Backend.webhooks()
    let reply = try await backend.post("/v1/webhooks", json)
    #expect(reply.status == 422 && Set(reply.faults) == Set(faults))
  }

  @Test("A URL may have 2,048 bytes, a description 256")
  func lengths() async throws {
    let backend = try await Backend.webhooks()
    func create(url: Int, description: Int) async throws -> Reply {
      let start = "https://h.example.com/"
      let url = start + String(repeating: "a", count: url - start.utf8.count)
      let text = String(repeating: "d", count: description)
      return try await backend.post(
        "/v1/webhooks", #"{"url":"\#(url)","event_types":["app.paused"],"description":"\#(text)"}"#)
    }
    #expect(try await create(url: 2_048, description: 256).status == 201)
    #expect(try await create(url: 2_049, description: 257).faults == ["/url TOO_LONG", "/description TOO_LONG"])
  }

  @Test("An environment has twenty at most, also when they come at once")
  func limit() async throws {
    let backend = try await Backend.webhooks()
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<25 { group.addTask { try await backend.post("/v1/webhooks", Backend.hook).status } }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(statuses.count { $0 == 201 } == 20 && statuses.count { $0 == 409 } == 5)
    #expect(try await backend.post("/v1/webhooks", Backend.hook).code == "WEBHOOK_LIMIT_REACHED")
  }

  @Test("One may be for an app of the environment alone")
  func app() async throws {
    let backend = try await Backend.webhooks()
    let app = backend.tenant.app.text
    let mine = #"{"url":"https://h.example.com","event_types":["app.paused"],"app_id":"\#(app)"}"#
    #expect(try await backend.post("/v1/webhooks", mine).json["app_id"]?.string == app)
    let other = try await Tenant.make().app.text
    #expect(try await backend.post("/v1/webhooks", mine.replacing(app, with: other)).faults == ["/app_id NOT_FOUND"])
  }

  @Test("PATCH changes what it names")
  func change() async throws {
    let backend = try await Backend.webhooks()
    let (id, _) = try await backend.webhook()
    let path = "/v1/webhooks/\(id)"
    let off = try await backend.patch(path, #"{"enabled":false,"description":"Night","event_types":["app.resumed"]}"#)
    #expect(off.status == 200 && off.json["enabled"] == .bool(false))
    #expect(off.json["disabled_reason"]?.string == "disabled" && off.json["description"]?.string == "Night")
    #expect(off.json["event_types"] == .array([.string("app.resumed")]))
    #expect(off.json["url"]?.string == "https://hooks.example.com/kits")
    let on = try await backend.patch(path, #"{"enabled":true,"description":null,"url":"https://b.example.com/"}"#)
    #expect(on.json["enabled"] == .bool(true) && on.json["disabled_reason"] == .null)
    #expect(on.json["description"] == .null && on.json["url"]?.string == "https://b.example.com/")
    #expect(try await backend.patch(path, #"{"url":"https://localhost/"}"#).faults == ["/url BAD_FORMAT"])
    #expect(try await backend.patch(path, #"{"secret":"whsec_x"}"#).faults == ["/secret UNKNOWN_FIELD"])
  }

  @Test("A rotation shows the new secret once and keeps the old one for a day")
  func rotate() async throws {
    let backend = try await Backend.webhooks()
    let (id, secret) = try await backend.webhook()
    let reply = try await backend.post("/v1/webhooks/\(id)/secret/rotate", "{}")
    #expect(reply.status == 200 && reply.json["secret"]?.string != secret)
    let left = try await backend.running.count(
      """
      SELECT extract(epoch FROM previous_until - now())::bigint FROM webhook WHERE webhook_id = '\(id)'
      """)
    #expect((86_000...86_400).contains(left))
    let read = try await backend.get("/v1/webhooks/\(id)")
    #expect(read.json["previous_secret_valid_until"] == reply.json["previous_secret_valid_until"])
  }

  @Test("Another environment's is not found, by any route")
  func otherEnvironment() async throws {
    let (id, _) = try await Backend.webhooks().webhook()
    let stranger = try await Backend.webhooks()
    let path = "/v1/webhooks/\(id)"
    #expect(try await stranger.get(path).status == 404)
    #expect(try await stranger.patch(path, "{}").status == 404)
    #expect(try await stranger.delete(path).status == 404)
    #expect(try await stranger.post(path + "/secret/rotate", "{}").status == 404)
    #expect(try await stranger.get(path + "/deliveries").status == 404)
    #expect(try await stranger.post(path + "/redeliver", #"{"all":true}"#).status == 404)
    #expect(try await stranger.get("/v1/webhooks").json["data"] == .array([]))
  }

  @Test(
    "Changes are audited without secrets; a member may redeliver and nothing else", arguments: [Role.member, .external])
  func roles(_ role: Role) async throws {
    let owner = try await Backend.webhooks()
    let (id, secret) = try await owner.webhook()
    let key = try await Backend.webhooks(of: owner.tenant, role: role)
    let path = "/v1/webhooks/\(id)"
    #expect(try await key.get(path).status == 200)
    #expect(try await key.post("/v1/webhooks", Backend.hook).code == "ROLE_FORBIDDEN")
    #expect(try await key.patch(path, #"{"enabled":false}"#).code == "ROLE_FORBIDDEN")
    #expect(try await key.delete(path).code == "ROLE_FORBIDDEN")
    #expect(try await key.post(path + "/secret/rotate", "{}").code == "ROLE_FORBIDDEN")
    #expect(try await key.post(path + "/redeliver", #"{"all":true}"#).status == (role == .member ? 202 : 403))
    #expect(try await owner.post(path + "/secret/rotate", "{}").status == 200)
    #expect(try await owner.delete(path).status == 204)
    #expect(try await owner.get(path).status == 404)
    let entries = try await owner.running.texts(
      """
      SELECT action || ' ' || coalesce(refusal, '-') || ' ' || changes::text
      FROM audit_entry WHERE target_id = '\(id)' ORDER BY audit_no
      """)
    #expect(entries.first?.hasPrefix("webhook.created - ") == true)
    #expect(entries.last?.hasPrefix("webhook.deleted - ") == true)
    #expect(entries.contains { $0.hasPrefix("webhook.changed ROLE_FORBIDDEN") })
    #expect(entries.contains { $0.hasPrefix("webhook.secret_rotated - ") })
    #expect(!entries.joined().contains(secret.dropFirst(6)))
  }

  @Test("What was given up is listed, and tried again when asked for")
  func redeliver() async throws {
    let backend = try await Backend.webhooks()
    let (id, _) = try await backend.webhook()
    for _ in 0..<3 { _ = try await backend.message() }
    try await backend.number()
    try await backend.running.pool.script(
      """
      INSERT INTO webhook_delivery (
        app_no, webhook_no, feed_no, subject, event_at, state, attempts, not_before, first_at, last_at, last_status,
        last_problem
      )
      SELECT e.app_no, w.webhook_no, e.feed_no, e.subject, e.created_at, 2, 30, 'infinity', now(), now(), 500,
        'the answer was 500'
      FROM webhook w JOIN app a USING (environment_no) JOIN outbox_event e USING (app_no)
      WHERE w.webhook_id = '\(id)' AND e.type = 1
      """)
    let path = "/v1/webhooks/\(id)"
    let first = try await backend.get(path + "/deliveries?state=dead&limit=2")
    #expect(first.status == 200 && first.json["data"]?.array?.count == 2)
    let cursor = try #require(first.json["next_cursor"]?.string)
    let second = try await backend.get(path + "/deliveries?state=dead&limit=2&cursor=\(cursor)")
    #expect(second.json["data"]?.array?.count == 1 && second.json["next_cursor"] == .null)
    let delivery = try #require(second.json["data"]?.array?.first)
    #expect(delivery["attempts"] == .integer(30) && delivery["last_status"] == .integer(500))
    #expect(delivery["next_attempt_at"] == .null && delivery.at("event", "type")?.string == "message.created")
    #expect(try await backend.get(path).json.at("deliveries", "dead") == .integer(3))
    let event = try #require(delivery.at("event", "id")?.string)
    let one = try await backend.post(path + "/redeliver", #"{"event_ids":["\#(event)"]}"#)
    #expect(one.status == 202 && one.json["redelivering"] == .integer(1))
    #expect(try await backend.get(path + "/deliveries?state=pending").json["data"]?.array?.count == 1)
    #expect(try await backend.post(path + "/redeliver", #"{"all":true}"#).json["redelivering"] == .integer(2))
    #expect(try await backend.post(path + "/redeliver", "{}").faults == ["/event_ids MISSING"])
    let other = try await backend.webhook()
    #expect(try await backend.get("/v1/webhooks/\(other.id)/deliveries?cursor=\(cursor)").code == "QUERY_INVALID")
  }
}
