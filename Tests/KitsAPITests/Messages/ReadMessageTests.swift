import JSON
import KitsCore
import Testing

@testable import KitsAPI

@Suite("Reading, validating and canceling messages")
struct ReadMessageTests {
  @Test("K11: a message is read with its content, its ledger and the reasons, largest first")
  func reads() async throws {
    let backend = try await Backend.make()
    let created = try await backend.create(
      """
      {"title":"T","ios_interruption_level":"time_sensitive","data":{"n":1.0},"target":{"everyone":true},\
      "on_unknown":"skip"}
      """)
    let id = try #require(created.json["id"]?.string)
    // Accepted ×3, queued, in retry, no_token ×2, expired, canceled, unknown, Unregistered ×2, BadDeviceToken ×3.
    try await backend.deliver(
      id, state: .sending, outcomes: [1, 1, 1, 0, 2, 3, 3, 16, 17, 18, 32, 32, 34, 34, 34])
    let reply = try await backend.get("/v1/messages/\(id.uppercased())")
    #expect(reply.status == 200)
    #expect(
      reply.json.object?.keys == [
        "id", "app_id", "state", "planned", "matched", "title", "created_at", "send_at", "expires_at", "started_at",
        "completed_at", "canceled_at", "content", "target", "max_recipients", "expected_audience",
        "refusal", "verified_only", "on_unknown", "pause", "unmatched",
        "ledger", "reasons",
      ])
    #expect(reply.json["id"]?.string == id && reply.json["state"] == .string("sending"))
    #expect(reply.json["planned"] == .bool(true) && reply.json["started_at"]?.string != nil)
    #expect(reply.json["on_unknown"] == .string("skip"))
    let text = String(decoding: reply.body, as: UTF8.self)
    let content = """
      "content":{"title":"T","data":{"n":1.0},"ios_interruption_level":"time-sensitive","priority":"high",\
      "ttl_seconds":259200}
      """
    #expect(text.contains(content))
    #expect(
      text.contains(
        #""target":{"kind":"everyone","requested":null,"segment_ids":[],"exclude_segment_ids":[],"filter":null}"#))
    let ledger = """
      "ledger":{"targeted":15,"pending":2,"accepted":3,"failed":5,"suppressed":2,"expired":1,"canceled":1,"unknown":1}
      """
    #expect(text.contains(ledger))
    let reasons = reply.json["reasons"]?.array?.map { reason in
      "\(reason["class"]?.string ?? "") \(reason["reason"]?.string ?? "") \(reason["count"]?.integer ?? 0)"
    }
    #expect(
      reasons == [
        "failed BadDeviceToken 3", "failed Unregistered 2", "suppressed no_token 2", "canceled canceled 1",
        "expired expired 1", "unknown unknown 1",
      ])
  }

  @Test("a message without recipients has an empty ledger")
  func emptyLedger() async throws {
    let backend = try await Backend.make()
    let reply = try await backend.get("/v1/messages/\(try await backend.message())")
    let numbers = reply.json["ledger"]?.object?.members.compactMap(\.value.integer)
    #expect(numbers == Array(repeating: 0, count: 8))
    #expect(reply.json["reasons"] == .array([]))
  }

  @Test("K15 K16: validate answers the payloads and stores nothing")
  func validates() async throws {
    let backend = try await Backend.make()
    let reply = try await backend.validate(
      #"{"target":{"everyone":true},"title":"Hello","body":"The first push","localizations":{"DE":{"title":"Hallo"}}}"#)
    #expect(reply.status == 200)
    let zeros = #""kits_version":1,"kits_message_id":"00000000-0000-0000-0000-000000000000"}"#
    let base = #"{"aps":{"alert":{"title":"Hello","body":"The first push"}},\#(zeros)"#
    let german = #"{"aps":{"alert":{"title":"Hallo","body":"The first push"}},\#(zeros)"#
    #expect(
      String(decoding: reply.body, as: UTF8.self)
        == #"{"valid":true,"app_id":"\#(backend.tenant.app.text)","unmatched":{"count":0,"sample":[]},"payloads":["#
        + #"{"language":null,"bytes":\#(base.utf8.count),"payload":\#(base)},"#
        + #"{"language":"DE","bytes":\#(german.utf8.count),"payload":\#(german)}]}"#)
    #expect(try await backend.validate(#"{"target":{"everyone":true}}"#).faults == [" MISSING"])
    let text = String(repeating: "a", count: 4_000)
    let large = try await backend.validate(#"{"target":{"everyone":true},"title":"\#(text)"}"#)
    #expect(large.status == 422 && large.code == "PAYLOAD_TOO_LARGE_FOR_APNS" && large.faults == [" TOO_LARGE"])
    #expect(try await backend.messageCount() == 0)
  }

  @Test(
    "a message that hasn't ended is canceled, and canceling again answers the same",
    arguments: [MessageState.planning, .sending])
  func cancels(state: MessageState) async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    if state == .sending { try await backend.deliver(id, state: .sending, outcomes: [1, 0]) }
    let first = try await backend.post("/v1/messages/\(id)/cancel")
    #expect(first.status == 200)
    #expect(first.json["state"] == .string("canceled") && first.json["planned"] == .bool(true))
    #expect(first.json["canceled_at"]?.string != nil && first.json["ledger"] != nil)
    for body in [nil, "{}"] {
      let path = "/v1/messages/\(id)/cancel"
      let again = if let body { try await backend.post(path, body) } else { try await backend.post(path) }
      #expect(again.status == 200)
      #expect(again.body == first.body)
    }
  }

  @Test("a completed message can't be canceled")
  func completed() async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    try await backend.deliver(id, state: .completed, outcomes: [1])
    let reply = try await backend.post("/v1/messages/\(id)/cancel")
    #expect(reply.status == 409 && reply.code == "MESSAGE_NOT_CANCELABLE")
    #expect(try await backend.get("/v1/messages/\(id)").json["state"] == .string("completed"))
  }

  @Test("cancel takes no members")
  func cancelBody() async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    let members = try await backend.post("/v1/messages/\(id)/cancel", #"{"why":"typo"}"#)
    #expect(members.status == 422 && members.faults == ["/why UNKNOWN_FIELD"])
    #expect(try await backend.post("/v1/messages/\(id)/cancel", "[]").code == "INVALID_JSON")
    #expect(try await backend.get("/v1/messages/\(id)").json["state"] == .string("planning"))
  }
}
