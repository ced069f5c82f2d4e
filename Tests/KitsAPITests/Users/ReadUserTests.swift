import JSON
import KitsCore
import Testing

@testable import KitsAPI

@Suite("GET /v1/users/{external_id}")
struct ReadUserTests {
  @Test("All installations of a user are answered, the newest first, of all apps of the environment")
  func reads() async throws {
    let tenant = try await Tenant.make()
    let backend = try await Backend.make([.usersRead], of: tenant)
    let token = Tenant.pushToken()
    let first = try await tenant.device(
      #"{"platform":"ios","push_token":"\#(token)","permission":"authorized"}"#)
    let second = try await tenant.device(#"{"platform":"android"}"#)
    let other = try await tenant.device()
    try await first.bind(to: "user-1", verified: true)
    try await second.bind(to: "user-1")
    try await other.bind(to: "user-2")
    let reply = try await backend.get("/v1/users/user-1")
    #expect(reply.status == 200 && reply.header("Cache-Control") == "no-store")
    #expect(reply.json.object?.keys == ["external_id", "installations", "next_cursor"])
    #expect(reply.json["external_id"] == .string("user-1") && reply.json["next_cursor"] == .null)
    let found = try #require(reply.json["installations"]?.array)
    #expect(found.map { $0["id"]?.string } == [second.id, first.id].sorted(by: >))
    let entry = try #require(found.first { $0["id"]?.string == first.id })
    #expect(
      entry.object?.keys == [
        "id", "app_id", "platform", "token_state", "reachable", "binding", "last_seen_at",
      ])
    #expect(entry["app_id"]?.string == tenant.app.text && entry["platform"] == .string("ios"))
    #expect(entry["token_state"] == .string("active") && entry["reachable"] == .bool(true))
    let whole = try await first.read().json
    #expect(entry["binding"] == whole["binding"] && entry["last_seen_at"] == whole["updated_at"])
    #expect(entry.at("binding", "verified") == .bool(true))
  }

  @Test("A token that another installation took over is none")
  func movedToken() async throws {
    let tenant = try await Tenant.make()
    let body = #"{"platform":"ios","push_token":"\#(Tenant.pushToken())","permission":"authorized"}"#
    let device = try await tenant.device(body)
    _ = try await tenant.device(body)
    try await device.bind(to: "u")
    let reply = try await Backend.make([.usersRead], of: tenant).get("/v1/users/u")
    let entry = try #require(reply.json["installations"]?.array?.first)
    #expect(entry["token_state"] == .string("none") && entry["reachable"] == .bool(false))
  }

  @Test("Pages follow one another by their cursors, which are good for this user alone")
  func pages() async throws {
    let tenant = try await Tenant.make()
    let backend = try await Backend.make([.usersRead], of: tenant)
    var ids: [String] = []
    for _ in 0..<5 {
      let device = try await tenant.device()
      try await device.bind(to: "u")
      ids.append(device.id)
    }
    var seen: [String] = []
    var path = "/v1/users/u?limit=2"
    for size in [2, 2, 1] {
      let reply = try await backend.get(path)
      let page = try #require(reply.json["installations"]?.array)
      #expect(page.count == size)
      seen += page.compactMap { $0["id"]?.string }
      guard let cursor = reply.json["next_cursor"]?.string else { break }
      path = "/v1/users/u?limit=2&cursor=\(cursor)"
      let foreign = try await backend.get("/v1/users/v?limit=2&cursor=\(cursor)")
      #expect(foreign.status == 400 && foreign.faults == ["cursor BAD_FORMAT"])
    }
    #expect(seen == ids.sorted(by: >))
  }

  @Test(
    "Ids are compared by their bytes, decoded from the path",
    arguments: [("caf\u{E9}", "caf%C3%A9"), ("cafe\u{301}", "cafe%CC%81"), ("a b+c", "a%20b+c"), ("100%", "100%25")])
  func spellings(id: String, path: String) async throws {
    let tenant = try await Tenant.make()
    let backend = try await Backend.make([.usersRead], of: tenant)
    for user in ["caf\u{E9}", "cafe\u{301}", "a b+c", "100%"] { try await tenant.device().bind(to: user) }
    let reply = try await backend.get("/v1/users/\(path)")
    #expect(reply.status == 200 && reply.json["installations"]?.array?.count == 1)
    #expect(reply.json["external_id"]?.string.map { Array($0.utf8) } == Array(id.utf8))
  }

  @Test("Whoever isn't bound, is bound in another environment, or can't be an id is not found")
  func unknown() async throws {
    let backend = try await Backend.make([.usersRead])
    try await Tenant.make().device().bind(to: "elsewhere")
    let longest = String(repeating: "a", count: 257)
    for name in ["nobody", "elsewhere", longest, "%C2%85"] {
      let reply = try await backend.get("/v1/users/\(name)")
      #expect(reply.status == 404 && reply.code == "NOT_FOUND", "\(name.prefix(20))")
    }
  }

  @Test("A key without the scope is refused", arguments: [Scope.usersWrite, .installationsRead])
  func scope(scope: Scope) async throws {
    let reply = try await Backend.make([scope]).get("/v1/users/u")
    #expect(reply.status == 403 && reply.code == "SCOPE_MISSING")
  }
}
