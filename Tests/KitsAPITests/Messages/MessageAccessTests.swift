import JSON
import KitsCore
import KitsStore
import Testing

@testable import KitsAPI

@Suite("Who may do what with messages")
struct MessageAccessTests {
  private static let body = #"{"target":{"everyone":true},"title":"a"}"#
  private static let unknown = "/v1/messages/01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"

  @Test("sending and reading are separate scopes")
  func scopes() async throws {
    let tenant = try await Tenant.make()
    let reader = try await Backend.make([.messagesRead], of: tenant)
    let sender = try await Backend.make([.messagesSend], of: tenant)
    let refused = [
      try await reader.create(Self.body), try await reader.validate(Self.body),
      try await reader.post("\(Self.unknown)/cancel"), try await sender.get("/v1/messages"),
      try await sender.get(Self.unknown),
    ]
    for (reply, scope) in zip(refused, ["send", "send", "send", "read", "read"]) {
      #expect(reply.status == 403 && reply.code == "SCOPE_MISSING")
      #expect(reply.json["detail"]?.string?.contains("messages:\(scope)") == true)
    }
    #expect(try await sender.create(Self.body).status == 201)
    #expect(try await reader.get("/v1/messages").status == 200)
  }

  @Test("a revoked key is refused at once, on every route")
  func revoked() async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    #expect(try await backend.running.access.revokeServerKey(backend.keyID, by: .commandLine(.serverKeyRevoked)))
    let refused = [
      try await backend.create(Self.body), try await backend.validate(Self.body),
      try await backend.get("/v1/messages"), try await backend.get("/v1/messages/\(id)"),
      try await backend.post("/v1/messages/\(id)/cancel"),
    ]
    for reply in refused {
      #expect(reply.status == 401 && reply.code == "SERVER_KEY_INVALID")
      #expect(reply.header("WWW-Authenticate") == "Bearer")
    }
  }

  @Test("without a key, or with one that can't be one, nothing is read")
  func noKey() async throws {
    let running = try await RunningAPI.shared.value
    let missing = try await running.send("POST", "/v1/messages", json: "not JSON")
    #expect(missing.status == 401 && missing.code == "CREDENTIAL_MISSING")
    let wrong = try await running.send(
      "POST", "/v1/messages", headers: [("Authorization", "Bearer kits_sk_nonsense")], json: "not JSON")
    #expect(wrong.status == 401 && wrong.code == "SERVER_KEY_INVALID")
  }

  @Test("the key comes before the body: who may not send learns nothing of what is wrong with it")
  func order() async throws {
    let reader = try await Backend.make([.messagesRead])
    #expect(try await reader.create("not JSON").code == "SCOPE_MISSING")
    #expect(try await reader.create(Self.body, key: "a b").code == "SCOPE_MISSING")
    #expect(try await reader.post("\(Self.unknown)/cancel", "not JSON").code == "SCOPE_MISSING")
    let sender = try await Backend.make([.messagesSend])
    #expect(try await sender.get("/v1/messages?limit=x").code == "SCOPE_MISSING")
    #expect(try await sender.running.access.revokeServerKey(sender.keyID, by: .commandLine(.serverKeyRevoked)))
    #expect(try await sender.create("not JSON").code == "SERVER_KEY_INVALID")
  }

  @Test("another tenant's message is like one that doesn't exist")
  func strangers() async throws {
    let id = try await Backend.make().message()
    let stranger = try await Backend.make()
    for path in ["/v1/messages/\(id)", Self.unknown, "/v1/messages/nonsense"] {
      let read = try await stranger.get(path)
      #expect(read.status == 404 && read.code == "NOT_FOUND")
      let canceled = try await stranger.post("\(path)/cancel")
      #expect(canceled.status == 404 && canceled.code == "NOT_FOUND")
    }
    #expect(try await stranger.running.count("SELECT state::bigint FROM message WHERE message_id = '\(id)'") == 1)
  }

  @Test("parameters that a route doesn't have are refused")
  func queries() async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    for path in ["/v1/messages?x=1", "/v1/messages/\(id)?x=1"] {
      let reply = try await backend.get(path)
      #expect(reply.status == 400 && reply.code == "QUERY_INVALID" && reply.faults == ["x UNKNOWN_FIELD"])
    }
    #expect(try await backend.post("/v1/messages?x=1", Self.body).code == "QUERY_INVALID")
    #expect(try await backend.post("/v1/messages/validate?x=1", Self.body).code == "QUERY_INVALID")
    #expect(try await backend.post("/v1/messages/\(id)/cancel?x=1").code == "QUERY_INVALID")
    #expect(try await backend.messageCount() == 1)
  }
}
