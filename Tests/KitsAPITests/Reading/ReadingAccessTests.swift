import JSON
import KitsCore
import Testing

@testable import KitsAPI

@Suite("Who may read what became of messages")
struct ReadingAccessTests {
  @Test("another environment's message or installation is like one that doesn't exist (SEC-A1)")
  func strangers() async throws {
    let backend = try await Backend.make()
    let phone = try await backend.phone()
    let id = try await backend.message()
    try await backend.chunk(id, members: [try await backend.number(phone)], outcomes: [1])
    let stranger = try await Backend.make()
    let own = try await stranger.message()
    for path in [
      "/v1/messages/\(id)/timeline", "/v1/messages/\(id)/deliveries", "/v1/messages/\(id)/deliveries/\(phone.id)",
      "/v1/messages/\(own)/deliveries/\(phone.id)", "/v1/installations/\(phone.id)/deliveries",
      "/v1/messages/nonsense/timeline", "/v1/messages/nonsense/deliveries", "/v1/messages/\(own)/deliveries/nonsense",
      "/v1/installations/nonsense/deliveries",
    ] {
      let reply = try await stranger.get(path)
      #expect(reply.status == 404 && reply.code == "NOT_FOUND", "\(path)")
    }
    #expect(try await backend.why(id, phone).status == 200)
  }

  @Test("all of it needs messages:read, and says so before it looks at anything else")
  func scopes() async throws {
    let tenant = try await Tenant.make()
    let backend = try await Backend.make(Scope.allCases.filter { $0 != .messagesRead }, of: tenant)
    for path in [
      "/v1/messages/x/timeline?x=1", "/v1/messages/x/deliveries?limit=0", "/v1/messages/x/deliveries/y?x=1",
      "/v1/installations/x/deliveries?limit=0",
    ] {
      let reply = try await backend.get(path)
      #expect(reply.status == 403 && reply.code == "SCOPE_MISSING", "\(path)")
      #expect(reply.json["detail"]?.string?.contains("messages:read") == true)
    }
  }

  @Test("parameters that a route doesn't have are refused")
  func queries() async throws {
    let backend = try await Backend.make()
    let phone = try await backend.phone()
    let id = try await backend.message()
    for path in [
      "/v1/messages/\(id)/timeline?x=1", "/v1/messages/\(id)/deliveries/\(phone.id)?x=1",
      "/v1/installations/\(phone.id)/deliveries?x=1",
    ] {
      #expect(try await backend.get(path).faults == ["x UNKNOWN_FIELD"])
    }
  }
}
