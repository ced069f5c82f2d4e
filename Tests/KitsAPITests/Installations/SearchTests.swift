import Foundation
import JSON
import KitsCore
import Postgres
import Testing

@testable import KitsAPI

@Suite("GET /v1/installations")
struct SearchTests {
  private static let scopes: [Scope] = [.installationsRead, .installationsWrite]

  private static func ids(_ reply: Reply) throws -> [String] {
    try #require(reply.json["data"]?.array, "\(reply.json)").map { $0["id"]?.string ?? "?" }
  }

  private static func find(_ backend: Backend, _ query: String = "") async throws -> [String] {
    try ids(try await backend.get("/v1/installations\(query)"))
  }

  @Test("an entry is the installation as reading it tells, with its app, and no whole push token")
  func entry() async throws {
    let backend = try await Backend.make(Self.scopes)
    let token = Tenant.pushToken()
    let device = try await backend.tenant.device(#"{"platform":"ios","push_token":"\#(token)"}"#)
    #expect(try await device.tag(["plan": "pro"]).status == 200)
    let reply = try await backend.get("/v1/installations")
    var entry = try #require(reply.json["data"]?.array?.first?.object)
    #expect(entry["app_id"] == .string(backend.tenant.app.text))
    entry["app_id"] = nil
    #expect(.object(entry) == (try await backend.get(device.path).json))
    #expect(entry["push_token"]?["suffix"] == .string(String(token.suffix(8))))
    #expect(!String(decoding: reply.body, as: UTF8.self).contains(token))
  }

  @Test("pages go back in the order of registration, over all apps")
  func pages() async throws {
    let backend = try await Backend.make(Self.scopes)
    var expected: [String] = []
    for _ in 0..<7 { expected.append(try await backend.tenant.device().id) }
    let second = try await backend.addApp()
    try await backend.running.pool.script(
      """
      UPDATE installation SET app_no = (SELECT app_no FROM app WHERE app_id = '\(second.text)')
      WHERE installation_id IN ('\(expected[1])', '\(expected[4])')
      """)
    var found: [String] = []
    var cursor = ""
    repeat {
      let reply = try await backend.get("/v1/installations?limit=2\(cursor)")
      found += try Self.ids(reply)
      cursor = reply.json["next_cursor"]?.string.map { "&cursor=\($0)" } ?? ""
    } while !cursor.isEmpty
    #expect(found == expected.sorted(by: >))
    #expect(try await Set(Self.find(backend, "?app_id=\(second.text)")) == [expected[1], expected[4]])
    let foreign = try await backend.get("/v1/installations?app_id=01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70")
    #expect(foreign.status == 404 && foreign.faults == ["app_id NOT_FOUND"])
  }

  @Test("by user, whatever the id holds, and not by another one's")
  func user() async throws {
    let backend = try await Backend.make(Self.scopes)
    let (one, two) = (try await backend.tenant.device(), try await backend.tenant.device())
    let name = "a b&c='é\u{301}%_"
    #expect(try await one.login(name).status == 200)
    #expect(try await two.login("other").status == 200)
    let encoded = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    #expect(try await Self.find(backend, "?external_id=\(encoded)") == [one.id])
    #expect(try await Self.find(backend, "?external_id=a") == [])
    #expect(try await backend.get("/v1/installations?external_id=").code == "QUERY_INVALID")
    #expect(try await one.logout().status == 200)
    #expect(try await Self.find(backend, "?external_id=\(encoded)") == [])
  }

  @Test("by the end of a push token, of its owner alone, in either case")
  func token() async throws {
    let backend = try await Backend.make(Self.scopes)
    let token = Tenant.pushToken()
    let device = try await backend.tenant.device(#"{"platform":"ios","push_token":"\#(token)"}"#)
    let android = try await backend.tenant.device(#"{"platform":"android","push_token":"abc:Def-GHIJKLMN'%_"}"#)
    _ = try await backend.tenant.device(#"{"platform":"ios","push_token":"\#(Tenant.pushToken())"}"#)
    for suffix in [token, String(token.suffix(8)), String(token.suffix(12)), token.suffix(20).uppercased()] {
      #expect(try await Self.find(backend, "?push_token_suffix=\(suffix)") == [device.id], "\(suffix)")
    }
    #expect(try await Self.find(backend, "?push_token_suffix=0\(token)") == [])
    #expect(try await Self.find(backend, "?push_token_suffix=LMN%27%25_GH") == [])
    #expect(try await Self.find(backend, "?push_token_suffix=GHIJKLMN%27%25_") == [android.id])
    #expect(try await Self.find(backend, "?push_token_suffix=ghijklmn%27%25_") == [], "an Android token has a case")
    #expect(try await Self.find(backend, "?push_token_suffix=GHIJKLMN%27%25_&external_id=x") == [])
    let next = try await backend.tenant.device(#"{"platform":"ios","push_token":"\#(token)"}"#)
    #expect(try await Self.find(backend, "?push_token_suffix=\(token)") == [next.id])
    let stranger = try await Backend.make(Self.scopes)
    #expect(try await Self.find(stranger, "?push_token_suffix=\(token)") == [])
  }

  @Test("a suffix has 8 to 256 printable characters")
  func suffix() async throws {
    let backend = try await Backend.make(Self.scopes)
    func faults(_ suffix: String) async throws -> [String] {
      try await backend.get("/v1/installations?push_token_suffix=\(suffix)").faults
    }
    func text(_ count: Int) -> String { String(repeating: "a", count: count) }
    #expect(try await faults(text(7)) == ["push_token_suffix TOO_SHORT"])
    #expect(try await faults(text(8)) == [])
    #expect(try await faults(text(256)) == [])
    #expect(try await faults(text(257)) == ["push_token_suffix TOO_LONG"])
    #expect(try await faults("aaaa%20aaaa") == ["push_token_suffix BAD_FORMAT"])
    #expect(try await faults("aaaaaaaa%C3%A9") == ["push_token_suffix BAD_FORMAT"])
  }

  @Test("test devices, and all others, alone or with the other parameters")
  func test() async throws {
    let backend = try await Backend.make(Self.scopes)
    var devices: [String] = []
    for number in 0..<6 {
      let device = try await backend.tenant.device()
      if number % 2 == 0 { #expect(try await device.login("user").status == 200) }
      if number < 3 { #expect(try await backend.put("/v1/test-devices/\(device.id)", "{}").status == 200) }
      devices.append(device.id)
    }
    func expected(_ numbers: [Int]) -> [String] { numbers.map { devices[$0] }.sorted(by: >) }
    #expect(try await Self.find(backend, "?test=true") == expected([0, 1, 2]))
    #expect(try await Self.find(backend, "?test=false") == expected([3, 4, 5]))
    #expect(try await Self.find(backend, "?test=true&external_id=user") == expected([0, 2]))
    #expect(try await Self.find(backend, "?test=false&external_id=user") == expected([4]))
    let page = try await backend.get("/v1/installations?test=true&limit=2")
    let cursor = try #require(page.json["next_cursor"]?.string)
    let rest = try await Self.find(backend, "?test=true&cursor=\(cursor)")
    #expect(try Self.ids(page) + rest == expected([0, 1, 2]))
    for query in ["test=false&cursor=\(cursor)", "cursor=\(cursor)", "test=1", "test=true&test=true", "x=1", "limit=0"]
    {
      #expect(try await backend.get("/v1/installations?\(query)").code == "QUERY_INVALID", "\(query)")
    }
  }
}
