import Crypto
import Foundation
import HTTPServer
import JSON
import KitsCore
import KitsStore
import Synchronization
import Testing

@testable import KitsAPI

@Suite("A repeated create has one effect")
struct MessageIdempotencyTests {
  private static let body = #"{"target":{"everyone":true},"title":"a","data":{"x":1,"y":[1.5]}}"#

  @Test("the same body, however it is spelled, is answered with the first answer")
  func replay() async throws {
    let backend = try await Backend.make()
    let first = try await backend.create(Self.body, key: "order-1")
    #expect(first.status == 201 && first.header("Idempotent-Replayed") == nil)
    let id = try #require(first.json["id"]?.string)
    // Whatever came of it meanwhile.
    try await backend.deliver(id, state: .completed, outcomes: [1, 1])
    let respelled = #"{ "data": {"y":[1.50], "x":1}, "title":"\u0061", "target":{"everyone":true} }"#
    for body in [Self.body, respelled] {
      let again = try await backend.create(body, key: "order-1")
      #expect(again.status == 201)
      #expect(again.header("Idempotent-Replayed") == "true")
      #expect(again.header("Location") == first.header("Location"))
      #expect(again.body == first.body)
    }
    #expect(try await backend.messageCount() == 1)
  }

  @Test("another body is a conflict, even when it is wrong itself")
  func reuse() async throws {
    let backend = try await Backend.make()
    _ = try await backend.create(Self.body, key: "order-1")
    for body in [#"{"target":{"everyone":true},"title":"b"}"#, #"{"title":7}"#, #"{"app_id":"x"}"#] {
      let reply = try await backend.create(body, key: "order-1")
      #expect(reply.status == 409 && reply.code == "IDEMPOTENCY_KEY_REUSED")
    }
    #expect(try await backend.create(#"{"title":7}"#, key: "order-2").code == "BODY_INVALID")
    #expect(try await backend.messageCount() == 1)
  }

  @Test("after an error the key is free")
  func errorsAreNotKept() async throws {
    let backend = try await Backend.make()
    #expect(try await backend.create(#"{"title":7}"#, key: "k").status == 422)
    #expect(try await backend.create(Self.body, key: "k").header("Idempotent-Replayed") == nil)
  }

  @Test("a key belongs to its app")
  func perApp() async throws {
    let first = try await Backend.make()
    let second = try await Backend.make()
    let one = try await first.create(Self.body, key: "k")
    let other = try await second.create(Self.body, key: "k")
    #expect(other.status == 201 && other.header("Idempotent-Replayed") == nil)
    #expect(one.json["id"] != other.json["id"])
  }

  @Test("a key of another form is refused", arguments: ["", "a b", "ä", String(repeating: "k", count: 256)])
  func form(key: String) async throws {
    let backend = try await Backend.make()
    for path in ["/v1/messages", "/v1/messages/validate"] {
      let reply = try await backend.post(path, Self.body, key: key)
      #expect(reply.status == 400 && reply.code == "IDEMPOTENCY_KEY_INVALID")
    }
    #expect(try await backend.messageCount() == 0)
  }

  @Test("255 characters are a key, and validate keeps none")
  func edge() async throws {
    let backend = try await Backend.make()
    let key = String(repeating: "~", count: 255)
    #expect(try await backend.post("/v1/messages/validate", Self.body, key: key).status == 200)
    #expect(try await backend.create(#"{"target":{"everyone":true},"title":"b"}"#, key: key).status == 201)
  }

  @Test("eight identical calls at once create one message")
  func concurrent() async throws {
    let backend = try await Backend.make()
    let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
      for _ in 0..<8 { group.addTask { try await backend.create(Self.body, key: "order-1") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(replies.allSatisfy { $0.status == 201 })
    #expect(Set(replies.compactMap { $0.json["id"]?.string }).count == 1)
    #expect(Set(replies.map(\.body)).count == 1)
    #expect(replies.filter { $0.header("Idempotent-Replayed") == nil }.count == 1)
    #expect(try await backend.messageCount() == 1)
  }

  @Test("the delivery half is told of a new message and not of a replay")
  func notification() async throws {
    let backend = try await Backend.make()
    let running = backend.running
    let count = Count()
    let api = API(
      access: running.access, audit: AuditStore(pool: running.pool),
      environments: EnvironmentStore(pool: running.pool), installations: InstallationStore(pool: running.pool),
      messages: MessageStore(pool: running.pool), circuits: CircuitStore(pool: running.pool),
      identities: IdentityStore(pool: running.pool), users: UserStore(pool: running.pool),
      segments: SegmentStore(pool: running.pool), reports: ReportStore(pool: running.pool),
      signing: SigningStore(pool: running.pool), events: EventStore(pool: running.pool),
      webhooks: WebhookStore(pool: running.pool), keys: running.keys, publicURL: "https://push.example.com",
      now: { Int64(Date().timeIntervalSince1970 * 1_000) },
      onMessageCreated: { count.increment() })
    let server = Server(ServerConfiguration(), router: Router(api.routes, fault: api.fault(_:requestID:)))
    try server.start()
    let request = HTTPCall.bytes(
      "POST", "/v1/messages",
      headers: [
        ("Authorization", "Bearer \(backend.secret.text)"), ("Content-Type", "application/json"),
        ("Idempotency-Key", "k"),
      ], body: Array(Self.body.utf8))
    let statuses = [
      try await HTTPCall.send(request, port: server.port).status,
      try await HTTPCall.send(request, port: server.port).status,
    ]
    await server.stop(grace: .seconds(5))
    #expect(statuses == [201, 201])
    #expect(count.value == 1)
  }

  private final class Count: Sendable {
    private let number = Mutex(0)
    func increment() { number.withLock { $0 += 1 } }
    var value: Int { number.withLock { $0 } }
  }
}
