import JSON
import KitsCore
import Testing

@testable import KitsAPI

@Suite("Pausing and resuming an app over the API")
struct AppPauseTests {
  private func backend() async throws -> Backend {
    try await Backend.make([.appsWrite, .messagesSend, .messagesRead])
  }

  @Test("A pause is answered, shown with the app's messages, and lifted by a resume")
  func pauses() async throws {
    let backend = try await backend()
    let app = backend.tenant.app.text
    let id = try await backend.message()
    try await backend.deliver(id, state: .sending, outcomes: [1, 0])
    let reply = try await backend.post(
      "/v1/apps/\(app)/pause", #"{"apns_environment":"production","reason":"wrong text"}"#)
    #expect(reply.status == 200)
    #expect(reply.json.object?.keys == ["id", "pauses", "tokens_lifted", "deliveries_due"])
    let pause = try #require(reply.json["pauses"]?.array?.first?.object)
    #expect(reply.json["pauses"]?.array?.count == 1 && reply.json["id"]?.string == app)
    #expect(pause.keys == ["apns_environment", "reason", "detail", "since"])
    #expect(pause["reason"]?.string == "operator" && pause["detail"]?.string == "wrong text")

    let message = try await backend.get("/v1/messages/\(id)")
    #expect(message.json["state"]?.string == "paused" && message.json["pause"]?.object == pause)
    let listed = try await backend.get("/v1/messages?state=paused")
    #expect(listed.json["data"]?.array?.compactMap { $0["id"]?.string } == [id])
    #expect(try await backend.get("/v1/messages?state=sending").json["data"]?.array == [])

    let resumed = try await backend.post("/v1/apps/\(app)/resume")
    #expect(resumed.status == 200 && resumed.json["pauses"]?.array == [])
    let after = try await backend.get("/v1/messages/\(id)")
    #expect(after.json["state"]?.string == "sending" && after.json["pause"] == .null)
    #expect(try await backend.post("/v1/apps/\(app)/resume", "{}").status == 200)
  }

  @Test("Without an environment both are paused; what is paused already keeps its reason")
  func both() async throws {
    let backend = try await backend()
    let path = "/v1/apps/\(backend.tenant.app.text)"
    _ = try await backend.post("\(path)/pause", #"{"apns_environment":"sandbox","reason":"first"}"#)
    let reply = try await backend.post("\(path)/pause", #"{"apns_environment":null,"reason":"second"}"#)
    let pauses = reply.json["pauses"]?.array?.map { pause in
      "\(pause["apns_environment"]?.string ?? "") \(pause["detail"]?.string ?? "")"
    }
    #expect(pauses == ["production second", "sandbox first"])
    let rest = try await backend.post("\(path)/resume", #"{"apns_environment":"production","keep_suspects":true}"#)
    #expect(rest.json["pauses"]?.array?.compactMap { $0["apns_environment"]?.string } == ["sandbox"])
  }

  @Test("A message that holds nothing back, or has ended, is not paused")
  func notHeld() async throws {
    let backend = try await backend()
    let done = try await backend.message()
    try await backend.deliver(done, state: .completed, outcomes: [1])
    _ = try await backend.post("/v1/apps/\(backend.tenant.app.text)/pause")
    let reply = try await backend.get("/v1/messages/\(done)")
    #expect(reply.json["state"]?.string == "completed" && reply.json["pause"] == .null)
  }

  @Test("It needs the scope apps:write and an app of the key's environment", arguments: ["pause", "resume"])
  func access(verb: String) async throws {
    let backend = try await backend()
    let stranger = try await Backend.make([.appsWrite])
    let weak = try await Backend.make([.messagesSend], of: backend.tenant)
    let path = "/v1/apps/\(backend.tenant.app.text)/\(verb)"
    #expect(try await stranger.post(path).code == "NOT_FOUND")
    #expect(try await weak.post(path).code == "SCOPE_MISSING")
    #expect(try await backend.post("/v1/apps/nobody/\(verb)").code == "NOT_FOUND")
    #expect(try await backend.post("\(path)?now=1").code == "QUERY_INVALID")
    let wrong = try await backend.post(path, #"{"apns_environment":"test","why":1}"#)
    #expect(wrong.status == 422 && Set(wrong.faults) == ["/apns_environment NOT_ALLOWED", "/why UNKNOWN_FIELD"])
  }

  @Test("A reason has 1 to 256 bytes", arguments: [(0, 422), (1, 200), (256, 200), (257, 422)])
  func reason(bytes: Int, status: Int) async throws {
    let backend = try await backend()
    let text = String(repeating: "a", count: bytes)
    let reply = try await backend.post("/v1/apps/\(backend.tenant.app.text)/pause", #"{"reason":"\#(text)"}"#)
    #expect(reply.status == status)
  }
}
