import JSON
import KitsCore
import Postgres
import Testing

@testable import KitsAPI

@Suite("Messages to audiences")
struct AudienceMessageTests {
  private static let unknown = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"

  @Test("A message names segments, which are needed until it is planned, and shows what it asked for (K8)")
  func segments() async throws {
    let backend = try await Backend.segments()
    let pros = try await backend.segment()
    let free = try await backend.segment("Free", filter: #"{"not":\#(Backend.proFilter)}"#)
    let created = try await backend.create(
      """
      {"target":{"segment_ids":["\(pros)"],"exclude_segment_ids":["\(free)"]},"title":"a","max_recipients":7,
       "expected_audience":{"digest":"ffffffffffffffff","count":3}}
      """)
    #expect(created.status == 201 && created.json["matched"] == .null, "\(created.json)")
    let id = try #require(created.json["id"]?.string)
    let used = try await backend.get("/v1/segments/\(pros)").json["used_by"]?.array?.first?.object
    #expect(used?["message_id"] == .string(id) && used?["excluded"] == .bool(false))
    #expect(try await backend.delete("/v1/segments/\(free)").code == "SEGMENT_IN_USE")
    let read = try await backend.get("/v1/messages/\(id)").json
    #expect(
      read["target"]
        == .object([
          "kind": .string("segment_ids"), "requested": .null, "segment_ids": .array([.string(pros)]),
          "exclude_segment_ids": .array([.string(free)]), "filter": .null,
        ]))
    #expect(read["state"] == .string("planning") && read["refusal"] == .null && read["matched"] == .null)
    #expect(read["max_recipients"] == .integer(7))
    #expect(
      read["expected_audience"] == .object(["digest": .string("ffffffffffffffff"), "count": .integer(3)]))
    // Segments with tags ask about the user.
    let isFenced = "SELECT count(*) FROM message WHERE message_id = '\(id)' AND fenced"
    #expect(try await backend.running.count(isFenced) == 1)
  }

  @Test("A filter is shown as it was asked")
  func filter() async throws {
    let backend = try await Backend.make()
    let filter = #"{"any":[{"field":"platform","op":"is","value":"ios"}]}"#
    let created = try await backend.create(#"{"target":{"filter":\#(filter)},"title":"a"}"#)
    let id = try #require(created.json["id"]?.string)
    let read = try await backend.get("/v1/messages/\(id)").json
    #expect(read.at("target", "filter") == (try JSON.parse(Array(filter.utf8))))
    #expect(read.at("target", "kind") == .string("filter") && read["verified_only"] == .bool(false))
    let isFenced = "SELECT count(*) FROM message WHERE message_id = '\(id)' AND fenced"
    #expect(try await backend.running.count(isFenced) == 0)
    let devices = try await backend.create(#"{"target":{"test_devices":true},"title":"a"}"#)
    #expect(devices.status == 201)
  }

  @Test("A segment that the app doesn't have is named, by validate, too", arguments: ["", "/validate"])
  func unknownSegments(path: String) async throws {
    let backend = try await Backend.segments()
    let mine = try await backend.segment()
    let other = try await Backend.segments().segment()
    let reply = try await backend.post(
      "/v1/messages\(path)",
      """
      {"target":{"segment_ids":["\(mine)","\(Self.unknown)"],"exclude_segment_ids":["\(other)"]},"title":"a"}
      """)
    #expect(reply.status == 422 && reply.code == "BODY_INVALID")
    #expect(reply.faults == ["/target/segment_ids/1 NOT_FOUND", "/target/exclude_segment_ids/0 NOT_FOUND"])
    #expect(try await backend.messageCount() == 0)
    let fine = try await backend.validate(#"{"target":{"segment_ids":["\#(mine)"]},"title":"a","max_recipients":1}"#)
    #expect(fine.status == 200 && fine.json.at("unmatched", "count") == .integer(0))
  }

  @Test(
    "verified_only is true by itself where a proof is needed and the audience depends on the user; previews agree",
    arguments: [
      (AuthMode.basic, Backend.proFilter, false), (.verified, Backend.proFilter, true),
      (.verified, #"{"field":"platform","op":"is","value":"ios"}"#, false),
      (.verified, #"{"not":{"field":"identified","op":"is","value":true}}"#, true),
    ])
  func verifiedOnly(mode: AuthMode, filter: String, expected: Bool) async throws {
    let backend = try await Backend.segments()
    try await backend.running.pool.script(
      """
      UPDATE environment SET auth_mode = \(mode.rawValue) WHERE environment_id = '\(backend.tenant.environment.text)'
      """)
    try await backend.people(4)
    try await backend.running.pool.script(
      """
      UPDATE installation i SET verified = true FROM app a
      WHERE a.app_no = i.app_no AND a.app_id = '\(backend.tenant.app.text)' AND i.external_id = 'user 0'
      """)
    let segment = try await backend.segment("s", filter: filter)
    let plain = try await backend.segment("plain", filter: #"{"any":[{"all":[]}]}"#)
    for target in [
      #"{"filter":\#(filter)}"#, #"{"segment_ids":["\#(segment)"]}"#,
      #"{"segment_ids":["\#(plain)"],"exclude_segment_ids":["\#(segment)"]}"#,
    ] {
      let created = try await backend.create(#"{"target":\#(target),"title":"a"}"#)
      let id = try #require(created.json["id"]?.string, "\(created.json)")
      #expect(try await backend.get("/v1/messages/\(id)").json["verified_only"] == .bool(expected), "\(target)")
      let preview = try await backend.preview(target)
      #expect(preview.json["verified_only"] == .bool(expected), "\(target): \(preview.json)")
    }
    let sendable = try await backend.preview(#"{"filter":{"all":[]},"verified_only":true}"#)
    #expect(sendable.json["matching"] == .integer(4) && sendable.json["sendable"] == .integer(1))
    let all = try await backend.preview(#"{"filter":\#(filter),"verified_only":false}"#)
    #expect(all.json["matching"] == all.json["sendable"])
  }

  @Test("A refused message says why, is listed as such, and can't be canceled")
  func refused() async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    try await backend.running.pool.script(
      """
      UPDATE message SET state = 5, plan_done = true, settled = true, refusal = 2, found_count = 3, refused_at = now(),
        expected_digest = 1, plan_digest = -1
      WHERE message_id = '\(id)'
      """)
    let read = try await backend.get("/v1/messages/\(id)").json
    #expect(read["state"] == .string("refused") && read["matched"] == .integer(3))
    let refusal = try #require(read["refusal"]?.object)
    #expect(refusal["code"] == .string("AUDIENCE_CHANGED") && refusal["found_count"] == .integer(3))
    #expect(refusal["found_digest"] == .string("ffffffffffffffff") && refusal["refused_at"]?.string != nil)
    #expect(read.at("expected_audience", "digest") == .string("0000000000000001"))
    #expect(read.at("ledger", "targeted") == .integer(0))
    let listed = try await backend.get("/v1/messages?state=refused").json["data"]?.array
    #expect(listed?.compactMap { $0.object?["id"]?.string } == [id])
    let canceled = try await backend.post("/v1/messages/\(id)/cancel")
    #expect(canceled.status == 409 && canceled.code == "MESSAGE_NOT_CANCELABLE")
  }

  @Test("A guarded list is not sent before its guards were asked, however short it is")
  func guardedList() async throws {
    let backend = try await Backend.make()
    let device = try await backend.tenant.device(
      #"{"platform":"ios","push_token":"\#(Tenant.pushToken())","permission":"authorized"}"#)
    let created = try await backend.create(
      #"{"target":{"installation_ids":["\#(device.id)"]},"title":"a","max_recipients":1}"#)
    let id = try #require(created.json["id"]?.string)
    let read = try await backend.get("/v1/messages/\(id)").json
    #expect(read["state"] == .string("planning") && read.at("ledger", "targeted") == .integer(0))
  }
}
