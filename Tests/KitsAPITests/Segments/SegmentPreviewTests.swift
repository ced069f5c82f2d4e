import JSON
import KitsCore
import KitsStore
import Postgres
import Testing

@testable import KitsAPI

@Suite("Previews of audiences")
struct SegmentPreviewTests {
  @Test("a filter is counted before anything is sent (K8)")
  func filter() async throws {
    let backend = try await Backend.segments()
    try await backend.people(8)
    let reply = try await backend.preview(#"{"filter":{"all":[\#(Backend.proFilter)]}}"#)
    #expect(reply.status == 200)
    #expect(reply.json["method"] == .string("exact") && reply.json["error"] == .null)
    #expect(reply.json["matching"] == .integer(4) && reply.json["sendable"] == .integer(4))
    #expect(reply.json["app_id"] == .string(backend.tenant.app.text))
    let four = JSONValue.object(["matching": .integer(4), "sendable": .integer(4)])
    let two = JSONValue.object(["matching": .integer(2), "sendable": .integer(2)])
    let none = JSONValue.object(["matching": .integer(0), "sendable": .integer(0)])
    #expect(reply.json["by_platform"] == .object(["ios": four, "android": none]))
    #expect(reply.json["by_identity"] == .object(["identified": two, "anonymous": two]))
    #expect(reply.json["sample"]?.array?.count == 4)
    #expect(reply.json["digest"]?.string?.utf8.count == 16)
    let users = try await backend.preview(#"{"filter":\#(Backend.proFilter),"include_anonymous":false}"#)
    #expect(users.json["matching"] == .integer(2) && users.json["digest"] != reply.json["digest"])
  }

  @Test("segments are counted together, without the excluded ones and as they include the anonymous")
  func segments() async throws {
    let backend = try await Backend.segments()
    try await backend.people(8)
    let pros = try await backend.segment()
    let free = try await backend.segment("Free", filter: #"{"not":\#(Backend.proFilter)}"#)
    let users = try await backend.post(
      "/v1/segments", #"{"name":"Users","filter":{"all":[]},"include_anonymous":false}"#)
    let identified = try #require(users.json["id"]?.string)
    func count(_ body: String) async throws -> JSONValue? { try await backend.preview(body).json["matching"] }
    #expect(try await count(#"{"segment_ids":["\#(pros)"]}"#) == .integer(4))
    #expect(try await count(#"{"segment_ids":["\#(pros)","\#(free)"]}"#) == .integer(8))
    #expect(try await count(#"{"segment_ids":["\#(identified)"]}"#) == .integer(4))
    let rest = #"{"segment_ids":["\#(pros)","\#(free)"],"exclude_segment_ids":["\#(identified)"]}"#
    #expect(try await count(rest) == .integer(4))
    #expect(try await count(#"{"filter":{"all":[]},"exclude_segment_ids":["\#(pros)"]}"#) == .integer(4))
    #expect(try await count(#"{"segment_ids":["\#(pros)"],"exclude_segment_ids":["\#(pros)"]}"#) == .integer(0))
    // Whoever has no such tag any more simply doesn't match; the segment stays good.
    try await backend.running.pool.script(
      """
      UPDATE installation i SET tags = '{}' FROM app a
      WHERE a.app_no = i.app_no AND a.app_id = '\(backend.tenant.app.text)'
      """
    )
    #expect(try await count(#"{"segment_ids":["\#(pros)"]}"#) == .integer(0))
    #expect(try await count(#"{"segment_ids":["\#(free)"]}"#) == .integer(8))
    #expect(try await backend.get("/v1/segments/\(pros)").status == 200)
  }

  @Test("what can't be counted is said with its pointer")
  func faults() async throws {
    let backend = try await Backend.segments()
    let unknown = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
    let other = try await Backend.segments().segment()
    let cases: [(String, Int, [String])] = [
      ("{}", 422, ["/filter MISSING"]),
      (#"{"filter":{"all":[]},"segment_ids":["\#(unknown)"]}"#, 422, ["/segment_ids CONFLICT"]),
      (#"{"segment_ids":[]}"#, 422, ["/segment_ids TOO_FEW"]),
      (#"{"segment_ids":["x"]}"#, 422, ["/segment_ids/0 BAD_FORMAT"]),
      (#"{"filter":{"any":[]}}"#, 422, ["/filter/any TOO_FEW"]),
      (#"{"filter":{"all":[]},"include_anonymous":"no"}"#, 422, ["/include_anonymous WRONG_TYPE"]),
      (#"{"filter":{"all":[]},"limit":1}"#, 422, ["/limit UNKNOWN_FIELD"]),
      (#"{"segment_ids":["\#(other)","\#(unknown)"]}"#, 404, ["/segment_ids/0 NOT_FOUND", "/segment_ids/1 NOT_FOUND"]),
      (#"{"filter":{"all":[]},"exclude_segment_ids":["\#(unknown)"]}"#, 404, ["/exclude_segment_ids/0 NOT_FOUND"]),
    ]
    for (body, status, faults) in cases {
      let reply = try await backend.preview(body)
      #expect(reply.status == status && reply.faults == faults, "\(body): \(reply.json)")
    }
    let many = Array(repeating: "\"\(unknown)\"", count: 21).joined(separator: ",")
    #expect(try await backend.preview(#"{"segment_ids":[\#(many)]}"#).faults == ["/segment_ids TOO_MANY"])
  }

  @Test("hostile texts find nobody and break nothing")
  func hostile() async throws {
    let backend = try await Backend.segments()
    try await backend.people(1)
    let strings = try #require(VectorFile.json("blns/blns.json").array).compactMap(\.string)
    var leaves: [String] = []
    for text in strings
    where text.utf8.count <= 256 && !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    {
      let value = String(decoding: JSON.write(.string(text)), as: UTF8.self)
      leaves.append(#"{"field":"tag.plan","op":"is","value":\#(value)}"#)
      leaves.append(#"{"field":"tag.plan","op":"in","value":[\#(value)]}"#)
      if !text.isEmpty { leaves.append(#"{"field":"external_id","op":"is","value":\#(value)}"#) }
    }
    #expect(leaves.count > 1_000)
    for start in stride(from: 0, to: leaves.count, by: Limits.filterLeaves) {
      let part = leaves[start..<min(start + Limits.filterLeaves, leaves.count)].joined(separator: ",")
      let reply = try await backend.preview(#"{"filter":{"any":[\#(part)]}}"#)
      #expect(reply.status == 200 && reply.json["matching"] == .integer(0), "\(reply.json)")
    }
    #expect(try await backend.tenant.installations() == 1)
  }
}
