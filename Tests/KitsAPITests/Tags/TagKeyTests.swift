import JSON
import KitsCore
import Postgres
import Testing

@testable import KitsAPI

@Suite("The catalogue of tag keys")
struct TagKeyTests {
  private static func keys(_ reply: Reply) -> [String] {
    reply.json["data"]?.array?.map { $0["key"]?.string ?? "?" } ?? []
  }

  @Test("a key shows up by itself, once for all devices of an app and of no other one (K7)")
  func fills() async throws {
    let backend = try await Backend.make([.segmentsRead])
    let other = try await Backend.make([.segmentsRead])
    let devices = [try await backend.tenant.device(), try await backend.tenant.device()]
    #expect(Self.keys(try await backend.get("/v1/tag-keys")) == [])
    #expect(try await devices[0].tag(["plan": "pro", "Zebra": "1"]).status == 200)
    #expect(try await devices[1].tag(["plan": "free", "a.b": "1"], remove: ["never"]).status == 200)
    let reply = try await backend.get("/v1/tag-keys")
    #expect(reply.status == 200 && Self.keys(reply) == ["Zebra", "a.b", "plan"])
    #expect(reply.json["app_id"] == .string(backend.tenant.app.text) && reply.json["next_cursor"] == .null)
    let entry = try #require(reply.json["data"]?.array?.first)
    #expect(entry.object?.keys == ["key", "first_seen_at", "last_seen_on"])
    #expect(entry["last_seen_on"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil)
    #expect(Self.keys(try await other.get("/v1/tag-keys")) == [])
  }

  @Test("what is refused lists nothing")
  func refused() async throws {
    let backend = try await Backend.make([.segmentsRead])
    let device = try await backend.tenant.device()
    let unknown = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
    #expect(try await device.tag(["late": "1"], expecting: unknown).status == 409)
    try await device.consent(#"{"users":false}"#, revision: 2)
    #expect(try await device.tag(["off": "1"]).status == 409)
    #expect(Self.keys(try await backend.get("/v1/tag-keys")) == [])
  }

  @Test("the last day is written once a day")
  func lastSeen() async throws {
    let backend = try await Backend.make([.segmentsRead])
    let device = try await backend.tenant.device()
    #expect(try await device.tag(["plan": "pro"]).status == 200)
    try await backend.running.pool.script(
      """
      UPDATE tag_key SET last_seen_on = last_seen_on - 3, first_seen_at = first_seen_at - interval '3 days'
      WHERE app_no = (SELECT app_no FROM app WHERE app_id = '\(backend.tenant.app.text)')
      """)
    let before = try #require(try await backend.get("/v1/tag-keys").json["data"]?.array?.first)
    // The value is the same: only the day is new.
    #expect(try await device.tag(["plan": "pro"]).status == 200)
    let after = try #require(try await backend.get("/v1/tag-keys").json["data"]?.array?.first)
    #expect(after["first_seen_at"] == before["first_seen_at"])
    #expect((after["last_seen_on"]?.string ?? "") > (before["last_seen_on"]?.string ?? ""))
  }

  @Test("an app lists 10,000 keys; further ones work all the same")
  func full() async throws {
    let backend = try await Backend.segments()
    let device = try await backend.tenant.device()
    try await backend.running.pool.script(
      """
      INSERT INTO tag_key (app_no, key)
      SELECT app_no, 'key' || i FROM app, generate_series(1, \(Limits.tagKeysPerApp - 2)) i
      WHERE app_id = '\(backend.tenant.app.text)'
      """)
    #expect(try await device.tag(["n3": "1", "n1": "1", "n2": "1", "key1": "1"]).status == 200)
    #expect(Self.keys(try await backend.get("/v1/tag-keys?prefix=n")) == ["n1", "n2"])
    #expect(try await device.tag(["n4": "1"]).status == 200)
    #expect(Self.keys(try await backend.get("/v1/tag-keys?prefix=n")) == ["n1", "n2"])
    let found = try await backend.preview(#"{"filter":{"field":"tag.n4","op":"exists"}}"#)
    #expect(found.json["matching"] == .integer(1))
  }

  @Test("pages follow one another by key, narrowed by a prefix or not")
  func pages() async throws {
    let backend = try await Backend.make([.segmentsRead])
    let device = try await backend.tenant.device()
    let names = (10..<35).map { "k\($0)" } + ["K1", "k", "l", "k_1"]
    #expect(
      try await device.tag(Dictionary(uniqueKeysWithValues: names.map { ($0, "") })).status == 200)
    func all(_ query: String) async throws -> [String] {
      var found: [String] = []
      var cursor = ""
      repeat {
        let reply = try await backend.get("/v1/tag-keys?limit=4\(query)\(cursor)")
        try #require(reply.status == 200)
        found += Self.keys(reply)
        cursor = reply.json["next_cursor"]?.string.map { "&cursor=\($0)" } ?? ""
      } while !cursor.isEmpty
      return found
    }
    #expect(try await all("") == names.sorted())
    #expect(try await all("&prefix=k") == names.filter { $0.hasPrefix("k") }.sorted())
    #expect(try await all("&prefix=k1") == (10..<20).map { "k\($0)" })
    #expect(try await all("&prefix=") == names.sorted())
    #expect(try await all("&prefix=nothing") == [])
    let cursor = try #require(try await backend.get("/v1/tag-keys?limit=1").json["next_cursor"]?.string)
    for query in ["prefix=k&cursor=\(cursor)", "cursor=\(cursor)x", "cursor=", "prefix=%27"] {
      #expect(try await backend.get("/v1/tag-keys?\(query)").code == "QUERY_INVALID", "\(query)")
    }
    let stranger = try await Backend.make([.segmentsRead])
    #expect(try await stranger.get("/v1/tag-keys?cursor=\(cursor)").code == "QUERY_INVALID")
  }

  @Test("the app is named where there are several, and another environment's isn't there")
  func apps() async throws {
    let backend = try await Backend.make([.segmentsRead])
    let second = try await backend.addApp()
    #expect(try await backend.get("/v1/tag-keys").code == "APP_REQUIRED")
    #expect(try await backend.get("/v1/tag-keys?app_id=\(second.text)").json["app_id"] == .string(second.text))
    let stranger = try await Tenant.make()
    let foreign = try await backend.get("/v1/tag-keys?app_id=\(stranger.app.text)")
    #expect(foreign.status == 404 && foreign.faults == ["app_id NOT_FOUND"])
  }
}
