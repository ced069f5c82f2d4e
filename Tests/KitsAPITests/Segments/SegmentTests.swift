import JSON
import KitsCore
import KitsStore
import Postgres
import Testing

@testable import KitsAPI

@Suite("Segments")
struct SegmentTests {
  private static let body = #"{"name":"Pros","filter":\#(Backend.proFilter)}"#
  private static let unknown = "/v1/segments/01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"

  @Test("a segment is created, read, listed, replaced and deleted (K8)")
  func life() async throws {
    let backend = try await Backend.segments()
    let created = try await backend.post("/v1/segments", Self.body)
    #expect(created.status == 201)
    let id = try #require(created.json["id"]?.string)
    #expect(created.header("Location") == "/v1/segments/\(id)")
    #expect(created.json["name"] == .string("Pros") && created.json["revision"] == .integer(1))
    #expect(created.json["include_anonymous"] == .bool(true) && created.json["used_by"] == .array([]))
    #expect(created.json["app_id"] == .string(backend.tenant.app.text))
    #expect(created.json["filter"] == (try JSON.parse(Array(Backend.proFilter.utf8))))
    #expect(try await backend.get("/v1/segments/\(id)").json == created.json)
    var listed = try #require(created.json.object)
    listed["filter"] = nil
    listed["used_by"] = nil
    #expect(try await backend.get("/v1/segments").json["data"] == .array([.object(listed)]))
    let changed = try await backend.put(
      "/v1/segments/\(id)", #"{"revision":1,"name":"All","filter":{"all":[]},"include_anonymous":false}"#)
    #expect(changed.status == 200 && changed.json["revision"] == .integer(2))
    #expect(changed.json["name"] == .string("All") && changed.json["include_anonymous"] == .bool(false))
    #expect(changed.json["created_at"] == created.json["created_at"])
    #expect(try await backend.get("/v1/segments/\(id)").json == changed.json)
    #expect(try await backend.delete("/v1/segments/\(id)").status == 204)
    #expect(try await backend.delete("/v1/segments/\(id)").status == 404)
    #expect(try await backend.get("/v1/segments/\(id)").status == 404)
    let actions = try await backend.running.count(
      """
      SELECT count(*) FROM audit_entry
      WHERE target_id = '\(id)' AND action IN ('segment.created', 'segment.changed', 'segment.deleted')
        AND actor_id = '\(backend.keyID.text)'
      """)
    #expect(actions == 3)
  }

  @Test("who changes a segment must have read its newest revision; a repeated change is the same change")
  func revision() async throws {
    let backend = try await Backend.segments()
    let path = "/v1/segments/\(try await backend.segment())"
    let change = #"{"revision":1,"name":"A","filter":{"all":[]}}"#
    let first = try await backend.put(path, change)
    #expect(first.status == 200)
    let again = try await backend.put(path, change)
    #expect(again.status == 200 && again.json == first.json)
    let stale = try await backend.put(path, #"{"revision":1,"name":"B","filter":{"all":[]}}"#)
    #expect(stale.status == 409 && stale.code == "SEGMENT_CHANGED")
    #expect(stale.json["current"] == first.json)
    #expect(try await backend.put(path, #"{"revision":3,"name":"B","filter":{"all":[]}}"#).status == 409)
    #expect(try await backend.put(path, #"{"revision":2,"name":"B","filter":{"all":[]}}"#).status == 200)
  }

  @Test("concurrent changes of one revision: one is applied")
  func race() async throws {
    let backend = try await Backend.segments()
    let path = "/v1/segments/\(try await backend.segment())"
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<8 {
        group.addTask {
          try await backend.put(path, #"{"revision":1,"name":"\#(number)","filter":{"all":[]}}"#).status
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.sorted() == [200] + Array(repeating: 409, count: 7))
  }

  @Test("a segment stays with its app")
  func app() async throws {
    let backend = try await Backend.segments()
    let path = "/v1/segments/\(try await backend.segment())"
    func change(_ app: String) -> String { #"{"revision":1,"name":"A","app_id":"\#(app)","filter":{"all":[]}}"# }
    let other = try await backend.addApp()
    let refused = try await backend.put(path, change(other.text))
    #expect(refused.status == 422 && refused.faults == ["/app_id NOT_ALLOWED"])
    #expect(try await backend.put(path, change(backend.tenant.app.text)).status == 200)
    // With two apps one must be named.
    #expect(try await backend.post("/v1/segments", Self.body).code == "APP_REQUIRED")
    let named = #"{"app_id":"\#(other.text)","name":"B","filter":{"all":[]}}"#
    #expect(try await backend.post("/v1/segments", named).json["app_id"] == .string(other.text))
    #expect(try await backend.get("/v1/segments?app_id=\(other.text)").json["data"]?.array?.count == 1)
    let stranger = try await Tenant.make().app
    let unknown = #"{"app_id":"\#(stranger.text)","name":"B","filter":{"all":[]}}"#
    #expect(try await backend.post("/v1/segments", unknown).faults == ["/app_id NOT_FOUND"])
  }

  @Test("an idempotency key creates one segment, also when used at the same time; another body is refused")
  func idempotency() async throws {
    let backend = try await Backend.segments()
    let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
      for _ in 0..<6 { group.addTask { try await backend.post("/v1/segments", Self.body, key: "k") } }
      return try await group.reduce(into: [Reply]()) { $0.append($1) }
    }
    #expect(replies.allSatisfy { $0.status == 201 })
    #expect(Set(replies.compactMap { $0.json["id"]?.string }).count == 1)
    #expect(replies.filter { $0.header("Idempotent-Replayed") == nil }.count == 1)
    #expect(Set(replies.map(\.body)).count == 1)
    #expect(try await backend.segmentCount() == 1)
    let other = try await backend.post("/v1/segments", #"{"name":"Other","filter":{"all":[]}}"#, key: "k")
    #expect(other.status == 409 && other.code == "IDEMPOTENCY_KEY_REUSED")
    // Its keys are none of messages.
    #expect(try await backend.create(#"{"target":{"everyone":true},"title":"a"}"#, key: "k").status == 201)
    // The first answer is kept although the segment is gone.
    let id = try #require(replies[0].json["id"]?.string)
    #expect(try await backend.delete("/v1/segments/\(id)").status == 204)
    let late = try await backend.post("/v1/segments", Self.body, key: "k")
    #expect(late.json["id"]?.string == id && late.header("Idempotent-Replayed") == "true")
    #expect(try await backend.segmentCount() == 0)
  }

  @Test("reading and writing are separate scopes, and another tenant's segment doesn't exist")
  func access() async throws {
    let tenant = try await Tenant.make()
    let writer = try await Backend.make([.segmentsWrite], of: tenant)
    let reader = try await Backend.make([.segmentsRead], of: tenant)
    let path = "/v1/segments/\(try await writer.segment())"
    let refused = [
      try await reader.post("/v1/segments", Self.body), try await reader.put(path, "{}"),
      try await reader.delete(path), try await writer.get(path), try await writer.get("/v1/segments"),
      try await writer.preview(#"{"filter":{"all":[]}}"#), try await writer.preview("not JSON"),
    ]
    #expect(refused.allSatisfy { $0.status == 403 && $0.code == "SCOPE_MISSING" })
    #expect(try await reader.get(path).status == 200)
    let external = try await Backend.make([.segmentsWrite], of: tenant, role: .external)
    #expect(try await external.delete(path).code == "ROLE_FORBIDDEN")
    #expect(try await external.post("/v1/segments", Self.body).code == "ROLE_FORBIDDEN")
    let member = try await Backend.make([.segmentsWrite], of: tenant, role: .member)
    #expect(try await member.post("/v1/segments", Self.body).status == 201)
    let stranger = try await Backend.segments()
    for place in [path, Self.unknown, "/v1/segments/nonsense"] {
      #expect(try await stranger.get(place).code == "NOT_FOUND")
      #expect(try await stranger.delete(place).code == "NOT_FOUND")
      let change = try await stranger.put(place, #"{"revision":1,"name":"A","filter":{"all":[]}}"#)
      #expect(change.code == "NOT_FOUND")
    }
    #expect(try await stranger.get("/v1/segments").json["data"] == .array([]))
    #expect(try await reader.get(path).json["revision"] == .integer(1))
  }

  @Test("a list has pages, the newest first, with cursors that belong to it")
  func pages() async throws {
    let backend = try await Backend.segments()
    var ids: [String] = []
    for number in 0..<5 { ids.append(try await backend.segment("S\(number)")) }
    let all = try await backend.get("/v1/segments").json["data"]?.array?.compactMap { $0.object?["id"]?.string }
    #expect(all.map(Set.init) == Set(ids) && all == all?.sorted(by: >))
    let first = try await backend.get("/v1/segments?limit=3").json
    let cursor = try #require(first["next_cursor"]?.string)
    let second = try await backend.get("/v1/segments?limit=3&cursor=\(cursor)").json
    #expect(second["next_cursor"] == .null)
    let paged = [first, second].flatMap { $0["data"]?.array ?? [] }.compactMap { $0.object?["id"]?.string }
    #expect(paged == all)
    #expect(try await Backend.segments().get("/v1/segments?cursor=\(cursor)").code == "QUERY_INVALID")
    let foreign = try await backend.get("/v1/segments?app_id=\(backend.tenant.app.text)&cursor=\(cursor)")
    #expect(foreign.code == "QUERY_INVALID")
    #expect(try await backend.get("/v1/segments?limit=101").code == "QUERY_INVALID")
  }

  @Test("wrong fields are named, and nothing is written")
  func faults() async throws {
    let backend = try await Backend.segments()
    let long = String(repeating: "é", count: 64)
    let cases: [(String, [String])] = [
      ("{}", ["/name MISSING", "/filter MISSING"]),
      (#"{"name":"","filter":{"all":[]}}"#, ["/name TOO_SHORT"]),
      (#"{"name":"\#(long)x","filter":{"all":[]}}"#, ["/name TOO_LONG"]),
      (#"{"name":"a\nb","filter":{"all":[]}}"#, ["/name BAD_FORMAT"]),
      (#"{"name":"a","filter":{"all":[{"field":"x"}]}}"#, ["/filter/all/0/field NOT_ALLOWED"]),
      (
        #"{"name":"a","filter":{"all":[]},"include_anonymous":1,"x":1}"#,
        ["/include_anonymous WRONG_TYPE", "/x UNKNOWN_FIELD"]
      ),
      (#"{"name":"a","filter":{"all":[]},"app_id":1}"#, ["/app_id WRONG_TYPE"]),
    ]
    for (body, faults) in cases {
      let reply = try await backend.post("/v1/segments", body)
      #expect(reply.status == 422 && reply.code == "BODY_INVALID" && reply.faults == faults, "\(reply.json)")
    }
    #expect(try await backend.post("/v1/segments?x=1", Self.body).code == "QUERY_INVALID")
    #expect(try await backend.segmentCount() == 0)
    #expect(try await backend.post("/v1/segments", #"{"name":"\#(long)","filter":{"all":[]}}"#).status == 201)
    let path = "/v1/segments/\(try await backend.segment())"
    #expect(try await backend.put(path, Self.body).faults == ["/revision MISSING"])
    #expect(
      try await backend.put(path, #"{"revision":0,"name":"a","filter":{"all":[]}}"#).faults == ["/revision TOO_SMALL"])
    #expect(try await backend.delete("\(path)?force=yes").code == "QUERY_INVALID")
  }

  @Test("each naughty string is a name as it is, or refused for its control characters")
  func names() async throws {
    let backend = try await Backend.segments()
    let strings = try #require(VectorFile.json("blns/blns.json").array).compactMap(\.string).filter { !$0.isEmpty }
    // A few over HTTP: those that look like SQL, markup or JSON.
    let hostile = strings.filter { $0.utf8.count <= 128 && $0.contains { "'\";<{%\\".contains($0) } }.prefix(60)
    #expect(hostile.count == 60)
    for name in hostile {
      let value = JSON.write(.string(name))
      let reply = try await backend.post(
        "/v1/segments", #"{"name":\#(String(decoding: value, as: UTF8.self)),"filter":{"all":[]}}"#)
      guard reply.status == 201 else {
        #expect(reply.faults == ["/name BAD_FORMAT"])
        continue
      }
      let id = try #require(reply.json["id"]?.string)
      #expect(try await backend.get("/v1/segments/\(id)").json["name"] == .string(name))
    }
  }

  @Test("a segment that a message needs is not deleted unless forced, and shows who needs it")
  func use() async throws {
    let backend = try await Backend.segments()
    let segment = try await backend.segment()
    let path = "/v1/segments/\(segment)"
    let message = try await backend.message()
    try await backend.schedule(message, naming: segment, excluded: true)
    let used = try await backend.get(path).json["used_by"]?.array?.first?.object
    #expect(used?["message_id"] == .string(message) && used?["excluded"] == .bool(true))
    let refused = try await backend.delete(path)
    #expect(refused.status == 409 && refused.code == "SEGMENT_IN_USE")
    #expect(refused.json["used_by"]?.array?.count == 1)
    #expect(try await backend.get(path).status == 200)
    // Once it is planned, the message needs it no more.
    try await backend.deliver(message, state: .sending, outcomes: [0])
    #expect(try await backend.get(path).json["used_by"] == .array([]))
    #expect(try await backend.delete(path).status == 204)
    let second = try await backend.segment()
    try await backend.schedule(try await backend.message(), naming: second)
    #expect(try await backend.delete("/v1/segments/\(second)?force=false").status == 409)
    #expect(try await backend.delete("/v1/segments/\(second)?force=true").status == 204)
    let left = try await backend.running.count("SELECT count(*) FROM message_segment WHERE segment_id = '\(second)'")
    #expect(left == 0)
  }

  @Test("an app has so many segments and no more")
  func limit() async throws {
    let backend = try await Backend.segments()
    try await backend.running.pool.script(
      """
      INSERT INTO segment (app_no, segment_id, name, filter, created_by)
      SELECT app_no, gen_random_uuid(), 's', '{"all": []}', gen_random_uuid()
      FROM app, generate_series(2, \(Limits.segmentsPerApp)) WHERE app_id = '\(backend.tenant.app.text)'
      """)
    #expect(try await backend.post("/v1/segments", Self.body).status == 201)
    let full = try await backend.post("/v1/segments", Self.body, key: "k")
    #expect(full.status == 409 && full.code == "SEGMENT_LIMIT_REACHED")
    try await backend.running.pool.script(
      """
      DELETE FROM segment USING app
      WHERE segment.app_no = app.app_no AND app_id = '\(backend.tenant.app.text)' AND segment.name = 'Pros'
      """)
    #expect(try await backend.post("/v1/segments", Self.body, key: "k").status == 201)
  }
}
