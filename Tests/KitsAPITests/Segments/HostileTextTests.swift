import Foundation
import JSON
import KitsCore
import Postgres
import Testing

@testable import KitsAPI

/// What somebody who means ill writes wherever text is taken: it is stored as it is or refused, compared by its bytes,
/// and never becomes SQL.
@Suite("Hostile text end to end", .serialized)
struct HostileTextTests {
  private static func strings() throws -> [String] {
    try #require(VectorFile.json("blns/blns.json").array).compactMap(\.string)
  }

  private static func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }

  private static func same(_ left: String?, _ right: String) -> Bool {
    left.map { Array($0.utf8) } == Array(right.utf8)
  }

  /// Everything of a tenant whom nobody speaks of, and which tables there are.
  private static func canary(_ device: Device, _ backend: Backend) async throws -> [JSONValue] {
    let tables = try await device.running.texts(
      "SELECT relname::text || relnatts FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1")
    return [
      try await device.read().json, try await backend.get("/v1/segments").json,
      .array(tables.map(JSONValue.string)),
    ]
  }

  private static func withCanary(_ body: () async throws -> Void) async throws {
    let backend = try await Backend.segments()
    let device = try await backend.tenant.device()
    #expect(try await device.tag(["plan": "pro"]).status == 200)
    _ = try await backend.segment()
    let before = try await canary(device, backend)
    try await body()
    #expect(try await canary(device, backend) == before)
  }

  private static func count(_ backend: Backend, _ field: String, _ op: String, _ value: JSONValue) async throws -> Int64
  {
    let leaf = JSONObject([("field", .string(field)), ("op", .string(op)), ("value", value)])
    let body = JSONObject([("filter", .object(leaf))])
    let reply = try await backend.preview(String(decoding: JSON.write(.object(body)), as: UTF8.self))
    return try #require(reply.json["matching"]?.integer, "\(reply.json)")
  }

  /// As many on each device as its limits allow.
  private static func packed(_ texts: [String]) -> [[String: String]] {
    var packs: [[String: String]] = [[:]]
    var bytes = 0
    for text in texts {
      bytes += text.utf8.count + 3
      if packs[packs.count - 1].count == Limits.tags || bytes > Limits.tagsBytes {
        packs.append([:])
        bytes = text.utf8.count + 3
      }
      packs[packs.count - 1]["k\(packs[packs.count - 1].count)"] = text
    }
    return packs
  }

  @Test(
    "values of tags come back as they were, and a filter finds exactly those that have one", .timeLimit(.minutes(3)))
  func values() async throws {
    try await Self.withCanary {
      let backend = try await Backend.segments()
      let texts = try Self.strings()
      let taken = texts.filter { Self.isPlain($0) && $0.utf8.count <= Limits.tagValueBytes }
      #expect(taken.count > 480)
      let packs = Self.packed(taken)
      var devices: [Device] = []
      for pack in packs {
        let device = try await backend.tenant.device()
        let reply = try await device.tag(pack)
        #expect(reply.status == 200)
        for tags in [try Device.tags(of: reply.json), try await device.tags()] {
          #expect(tags.count == pack.count && pack.allSatisfy { Self.same(tags[$0.key], $0.value) })
        }
        devices.append(device)
      }
      // One by one every eighth, which leaves out none of their kinds and stays a matter of seconds; then a hundred
      // at a time.
      for pack in packs {
        for number in stride(from: 0, to: pack.count, by: 8) {
          let (key, text) = ("k\(number)", try #require(pack["k\(number)"]))
          let expected = packs.filter { Self.same($0[key], text) }.count
          #expect(try await Self.count(backend, "tag.\(key)", "is", .string(text)) == Int64(expected), "\(text)")
        }
      }
      for (first, key) in zip(stride(from: 0, to: taken.count, by: 100), ["k0", "k7", "k13", "k31", "k2"]) {
        let wanted = taken[first...].prefix(Limits.filterValues.upperBound)
        let expected = packs.filter { pack in wanted.contains { Self.same(pack[key], $0) } }.count
        let found = try await Self.count(backend, "tag.\(key)", "in", .array(wanted.map(JSONValue.string)))
        #expect(found == Int64(expected), "\(key)")
      }
      for text in texts where !Self.isPlain(text) || text.utf8.count > Limits.tagValueBytes {
        let fault = try await devices[0].tag(["k0": text])
        #expect(fault.status == 422 && fault.faults.count == 1)
      }
    }
  }

  @Test("keys of tags are refused unless they have the form of one, set or removed")
  func keys() async throws {
    try await Self.withCanary {
      let device = try await Tenant.make().device()
      let binding = JSONValue.string(try await device.binding().id)
      let keys = try Set(Self.strings().map { Array($0.utf8) }).map { String(decoding: $0, as: UTF8.self) }
      let (good, bad) = (keys.filter { TagKey($0) != nil }, keys.filter { TagKey($0) == nil })
      #expect(good.count > 10 && bad.count > 400)
      for first in stride(from: 0, to: bad.count, by: Limits.tags) {
        let batch = Array(bad[first...].prefix(Limits.tags))
        let set = JSONValue.object(JSONObject(batch.map { ($0, .string("x")) }))
        let remove = JSONValue.array(batch.map(JSONValue.string))
        for member in [("set", set), ("remove", remove)] {
          let body = JSONObject([("expected_binding_id", binding), member])
          let reply = try await device.tag(String(decoding: JSON.write(.object(body)), as: UTF8.self))
          #expect(reply.status == 422 && reply.faults.count == batch.count)
          #expect(reply.faults.allSatisfy { $0.hasSuffix(" BAD_FORMAT") })
        }
      }
      let values = Dictionary(uniqueKeysWithValues: good.prefix(Limits.tags).map { ($0, "x") })
      #expect(try await device.tag(values).status == 200)
      #expect(try await device.tags() == values)
      #expect(try await device.tag([:], remove: Array(values.keys)).status == 200)
      #expect(try await device.tags() == [:])
    }
  }

  @Test("users of such names are told apart by a filter and found by the search")
  func users() async throws {
    try await Self.withCanary {
      let backend = try await Backend.make(Backend.segmentScopes + [.installationsRead])
      let names = try Self.strings().filter { ExternalID($0) != nil }
      #expect(names.count > 450)
      let device = try await backend.tenant.device()
      // Some, so that it stays a matter of seconds.
      for name in stride(from: 0, to: names.count, by: 17).map({ names[$0] }) {
        #expect(try await device.login(name).status == 200)
        #expect(try await Self.count(backend, "external_id", "is", .string(name)) == 1, "\(name)")
        #expect(try await Self.count(backend, "external_id", "is_not", .string(name)) == 0, "\(name)")
        let encoded = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let found = try await backend.get("/v1/installations?external_id=\(encoded)")
        #expect(found.json["data"]?.array?.first?["id"] == .string(device.id), "\(name)")
      }
      #expect(try await Self.count(backend, "time_zone", "in", .array([.string("' OR 1=1 --"), .string("%")])) == 0)
    }
  }

  @Test("names of segments, and texts of messages, come back as they were")
  func names() async throws {
    try await Self.withCanary {
      let backend = try await Backend.segments()
      let names = try Self.strings().filter { Self.isPlain($0) && Limits.segmentNameBytes.contains($0.utf8.count) }
      var created: [String] = []
      for name in stride(from: 0, to: names.count, by: 5).map({ names[$0] }) {
        let body = JSONObject([("name", .string(name)), ("filter", .object(JSONObject([("all", .array([]))])))])
        let reply = try await backend.post("/v1/segments", String(decoding: JSON.write(.object(body)), as: UTF8.self))
        guard reply.status == 201 else {
          #expect(reply.status == 422 && reply.faults.allSatisfy { $0.hasPrefix("/name ") }, "\(name)")
          continue
        }
        #expect(Self.same(reply.json["name"]?.string, name))
        created.append(name)
      }
      #expect(created.count > 80)
      let listed = try await backend.get("/v1/segments?limit=100").json["data"]?.array?.map { $0["name"]?.string ?? "" }
      #expect(zip(try #require(listed), created.reversed()).allSatisfy { Self.same($0, $1) })
      for text in stride(from: 0, to: names.count, by: 16).map({ names[$0] }) {
        let body = JSONObject([
          ("target", .object(JSONObject([("everyone", .bool(true))]))), ("title", .string(text)),
          ("body", .string(text)),
        ])
        let reply = try await backend.create(String(decoding: JSON.write(.object(body)), as: UTF8.self))
        try #require(reply.status == 201, "\(reply.json)")
        let message = try await backend.get("/v1/messages/\(reply.json["id"]?.string ?? "")")
        #expect(Self.same(message.json.at("content", "title")?.string, text))
        #expect(Self.same(message.json.at("content", "body")?.string, text))
      }
    }
  }
}
