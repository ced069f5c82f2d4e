import Foundation
import JSON
import KitsCore
import KitsStore
import Postgres
import Testing

@testable import KitsAPI

@Suite("Messages that are sent later", .serialized)
struct ScheduledMessageTests {
  static func time(_ seconds: Double) -> String {
    RFC3339.format(Int64(Date().timeIntervalSince1970 + seconds) * 1_000_000)
  }

  /// A wall-clock time, told by UTC's.
  static func wall(_ seconds: Double) -> String { String(time(seconds).dropLast()) }

  static func body(_ fields: String, title: String = "a") -> String {
    #"{"target":{"everyone":true},"title":"\#(title)",\#(fields)}"#
  }

  static func scheduled(_ backend: Backend, _ fields: String? = nil, key: String? = nil) async throws -> (
    path: String, reply: Reply
  ) {
    let reply = try await backend.create(body(fields ?? #""send_at":"\#(time(3_600))""#), key: key)
    try #require(reply.status == 201, "\(reply)")
    return ("/v1/messages/\(try #require(reply.json["id"]?.string))", reply)
  }

  static func fault(_ fields: String, now: String = "2026-11-30T08:00:00Z") throws -> [String] {
    let now = Timestamp(microseconds: try #require(RFC3339.parse(now)))
    let body = try DraftProbe.body(body(fields))
    do {
      _ = try MessageDraft(body, now: now)
      return []
    } catch {
      return error.fields.map { "\($0.place) \($0.code.rawValue)" }
    }
  }

  @Test("K26: it is scheduled, read, listed and canceled, and says when and how")
  func scheduled() async throws {
    let backend = try await Backend.make()
    let at = Self.time(3_600)
    let (path, created) = try await Self.scheduled(
      backend, #""send_at":"\#(at)","throttle_per_minute":600,"ttl_seconds":60"#)
    #expect(created.json["state"] == .string("scheduled") && created.json["planned"] == .bool(false))
    #expect(created.json["send_at"]?.string == at.dropLast() + ".000Z")
    let sent = try #require(RFC3339.parse(at))
    #expect(created.json["expires_at"]?.string.flatMap(RFC3339.parse) == sent + 60_000_000)
    #expect(created.json["throttle_per_minute"] == .integer(600) && created.json["revision"] == .integer(1))
    let read = try await backend.get(path)
    #expect(read.status == 200 && read.json["state"] == .string("scheduled"))
    #expect(read.json.at("content", "title") == .string("a") && read.json["started_at"] == .null)
    #expect(read.json.at("ledger", "targeted") == .integer(0) && read.json["expires_at"] == created.json["expires_at"])
    let list = try await backend.get("/v1/messages?state=scheduled")
    #expect(list.json["data"]?.array?.map { $0["title"] } == [.string("a")])
    let canceled = try await backend.post("\(path)/cancel")
    #expect(canceled.status == 200 && canceled.json["state"] == .string("canceled"))
    #expect(
      canceled.json.at("ledger", "targeted") == .integer(0) && canceled.json.at("content", "title") == .string("a"))
    #expect(try await backend.post("\(path)/cancel").body == canceled.body)
    #expect(try await backend.get("/v1/messages?state=scheduled").json["data"] == .array([]))
    let late = try await backend.patch(path, #"{"revision":1,"title":"b"}"#)
    #expect(late.status == 409 && late.code == "MESSAGE_NOT_EDITABLE")
  }

  @Test("By local time it starts when the first zone on earth has it and lives until the last one had its time")
  func localTime() async throws {
    let backend = try await Backend.make()
    let at = Self.wall(86_400)
    let (path, created) = try await Self.scheduled(
      backend,
      #""send_at_local":{"at":"\#(at)","zones_already_past":"now","default_time_zone":"Europe/Berlin"},"#
        + #""ttl_seconds":60"#
    )
    let local: JSONValue = .object([
      "at": .string(at), "zones_already_past": .string("now"), "default_time_zone": .string("europe/berlin"),
    ])
    #expect(created.json["send_at_local"] == local && created.json["send_at"] == .null)
    #expect(created.json["expires_at"]?.string?.prefix(16) == Self.time(86_400 + 12 * 3_600 + 60).prefix(16))
    let read = try await backend.get(path)
    #expect(read.json["send_at_local"] == local && read.json["expires_at"] == created.json["expires_at"])
    let due = try await backend.running.texts(
      """
      SELECT (due_at = local_at AT TIME ZONE 'UTC' - interval '14 hours')::text FROM message
      WHERE message_id = '\(path.suffix(36))'
      """)
    #expect(due == ["true"])
    let unknown = try await backend.create(
      Self.body(#""send_at_local":{"at":"\#(at)","default_time_zone":"Mars/Olympus"}"#))
    #expect(unknown.status == 422 && unknown.faults == ["/send_at_local/default_time_zone NOT_ALLOWED"])
    let validated = try await backend.validate(
      Self.body(#""send_at_local":{"at":"\#(at)","default_time_zone":"GMT+2"}"#))
    #expect(validated.faults == ["/send_at_local/default_time_zone NOT_ALLOWED"])
  }

  @Test(
    "a time at its limit is fine",
    arguments: [
      #""send_at":"2026-11-30T07:59:00Z""#, #""send_at":"2026-11-30T10:00:00+02:00""#,
      #""send_at":"2027-02-28T08:00:00Z""#, #""send_at_local":{"at":"2026-11-29T19:59:00"}"#,
      #""send_at_local":{"at":"2027-02-28T22:00:00"}"#, #""throttle_per_minute":1"#, #""throttle_per_minute":6000000"#,
      #""send_at_local":{"at":"2026-12-01T09:00:00","zones_already_past":null,"default_time_zone":null}"#,
    ])
  func edges(fields: String) throws {
    #expect(try Self.fault(fields) == [])
  }

  @Test(
    "a time beyond its limit, or none, is refused at its place",
    arguments: [
      (#""send_at":"2026-11-30T07:58:59Z""#, "/send_at TOO_SMALL"),
      (#""send_at":"2027-02-28T08:00:01Z""#, "/send_at TOO_LARGE"),
      (#""send_at":"2026-11-30T08:00:00""#, "/send_at BAD_FORMAT"), (#""send_at":1"#, "/send_at WRONG_TYPE"),
      (#""send_at_local":{"at":"2026-11-29T19:58:59"}"#, "/send_at_local/at TOO_SMALL"),
      (#""send_at_local":{"at":"2027-02-28T22:00:01"}"#, "/send_at_local/at TOO_LARGE"),
      (#""send_at_local":{"at":"2026-12-01T09:00:00Z"}"#, "/send_at_local/at BAD_FORMAT"),
      (#""send_at_local":{"at":"2026-12-01 09:00:00"}"#, "/send_at_local/at BAD_FORMAT"),
      (#""send_at_local":{"at":"2027-02-29T09:00:00"}"#, "/send_at_local/at BAD_FORMAT"),
      (#""send_at_local":{"at":null}"#, "/send_at_local/at WRONG_TYPE"),
      (#""send_at_local":{}"#, "/send_at_local/at MISSING"),
      (#""send_at_local":"x""#, "/send_at_local WRONG_TYPE"),
      (
        #""send_at_local":{"at":"2026-12-01T09:00:00","zones_already_past":"wait"}"#,
        "/send_at_local/zones_already_past NOT_ALLOWED"
      ),
      (
        #""send_at_local":{"at":"2026-12-01T09:00:00","default_time_zone":""}"#,
        "/send_at_local/default_time_zone TOO_SHORT"
      ),
      (#""send_at_local":{"at":"2026-12-01T09:00:00","x":1}"#, "/send_at_local/x UNKNOWN_FIELD"),
      (
        #""send_at":"2026-12-01T09:00:00Z","send_at_local":{"at":"2026-12-01T09:00:00"}"#, "/send_at_local CONFLICT"
      ),
      (#""throttle_per_minute":0"#, "/throttle_per_minute TOO_SMALL"),
      (#""throttle_per_minute":6000001"#, "/throttle_per_minute TOO_LARGE"),
      (#""throttle_per_minute":1.5"#, "/throttle_per_minute WRONG_TYPE"),
    ])
  func refused(fields: String, fault: String) throws {
    #expect(
      try Self.fault(fields) == ["pointer(\"\(fault.split(separator: " ")[0])\") \(fault.split(separator: " ")[1])"])
  }

  @Test("A change is merged into the whole message, checked, and raises the revision")
  func edits() async throws {
    let backend = try await Backend.make()
    let (path, _) = try await Self.scheduled(
      backend, #""send_at":"\#(Self.time(3_600))","data":{"a":1,"b":2},"subtitle":"s""#)
    let later = Self.time(7_200)
    let reply = try await backend.patch(
      path, #"{"revision":1,"title":"b","subtitle":null,"data":{"a":null,"c":3},"send_at":"\#(later)"}"#)
    #expect(reply.status == 200, "\(reply)")
    #expect(reply.json["revision"] == .integer(2) && reply.json["title"] == .string("b"))
    #expect(reply.json["send_at"]?.string == later.dropLast() + ".000Z")
    #expect(reply.json.at("content", "data") == .object(["b": .integer(2), "c": .integer(3)]))
    #expect(reply.json.at("content", "subtitle") == nil)
    // The answer was lost, and the same change comes again.
    let again = try await backend.patch(
      path, #"{"revision":1,"title":"b","subtitle":null,"data":{"a":null,"c":3},"send_at":"\#(later)"}"#)
    #expect(again.status == 200 && again.body == reply.body)
    let stale = try await backend.patch(path, #"{"revision":1,"title":"c"}"#)
    #expect(stale.status == 409 && stale.code == "MESSAGE_CHANGED")
    #expect(stale.json.at("current", "revision") == .integer(2))
    let target = try await backend.patch(
      path, #"{"revision":2,"target":{"everyone":null,"external_ids":["x","y","x"]},"verified_only":true}"#)
    #expect(target.json.at("target", "kind") == .string("external_ids"))
    #expect(target.json.at("target", "requested") == .integer(2))
    #expect(target.json["verified_only"] == .bool(true) && target.json["revision"] == .integer(3))
  }

  @Test(
    "a change that doesn't fit changes nothing",
    arguments: [
      (#"{"title":"b"}"#, "/revision MISSING"), (#"{"revision":0}"#, "/revision TOO_SMALL"),
      (#"{"revision":1,"title":7}"#, "/title WRONG_TYPE"), (#"{"revision":1,"extra":7}"#, "/extra UNKNOWN_FIELD"),
      (#"{"revision":1,"title":null}"#, " MISSING"),
      (#"{"revision":1,"target":{"installation_ids":["01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"]}}"#, "/target CONFLICT"),
      (#"{"revision":1,"send_at":"2020-01-01T00:00:00Z"}"#, "/send_at TOO_SMALL"),
      (#"{"revision":1,"app_id":"01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"}"#, "/app_id NOT_ALLOWED"),
      (#"{"revision":1,"title":"\#(String(repeating: "a", count: 4_000))"}"#, " TOO_LARGE"),
    ])
  func badEdits(patch: String, fault: String) async throws {
    let backend = try await Backend.make()
    let (path, _) = try await Self.scheduled(backend)
    let before = try await backend.get(path).body
    let reply = try await backend.patch(path, patch)
    #expect(reply.status == 422 && reply.faults == [fault], "\(reply)")
    #expect(try await backend.get(path).body == before)
  }

  @Test("Taking the time away makes it due at once; a message that is overdue can still get another text")
  func dueNow() async throws {
    let backend = try await Backend.make()
    let (path, _) = try await Self.scheduled(backend)
    let id = path.suffix(36)
    let isDue = "SELECT (due_at <= now())::text FROM message WHERE message_id = '\(id)'"
    let reply = try await backend.patch(path, #"{"revision":1,"send_at":null}"#)
    #expect(reply.status == 200 && reply.json["send_at"] == .null && reply.json["state"] == .string("scheduled"))
    #expect(try await backend.running.texts(isDue) == ["true"])
    let (overdue, _) = try await Self.scheduled(backend, #""send_at":"\#(Self.time(-30))""#)
    try await backend.running.pool.script(
      """
      UPDATE message SET send_at = send_at - interval '1 day', due_at = due_at - interval '1 day'
      WHERE message_id = '\(overdue.suffix(36))';
      UPDATE message_schedule SET body = replace(body::text, '\(Self.time(-30))', '2026-01-01T00:00:00Z')::json
      WHERE message_id = '\(overdue.suffix(36))'
      """)
    #expect(try await backend.patch(overdue, #"{"revision":1,"title":"b"}"#).json["title"] == .string("b"))
  }

  @Test("a started message, a stranger's and none can't be changed")
  func others() async throws {
    let backend = try await Backend.make()
    let started = try await backend.message()
    let reply = try await backend.patch("/v1/messages/\(started)", #"{"revision":1,"title":"b"}"#)
    #expect(reply.status == 409 && reply.code == "MESSAGE_NOT_EDITABLE")
    let (path, _) = try await Self.scheduled(backend)
    let stranger = try await Backend.make()
    #expect(try await stranger.patch(path, #"{"revision":1,"title":"b"}"#).status == 404)
    let reader = try await Backend.make([.messagesRead], of: backend.tenant)
    #expect(try await reader.patch(path, #"{"revision":1,"title":"b"}"#).code == "SCOPE_MISSING")
    #expect(try await backend.patch("/v1/messages/x", #"{"revision":1}"#).status == 404)
  }

  @Test("a replay says what the first answer said, whatever became of it")
  func replays() async throws {
    let backend = try await Backend.make()
    let fields = #""send_at":"\#(Self.time(3_600))","throttle_per_minute":7,"ttl_seconds":5"#
    let (path, first) = try await Self.scheduled(backend, fields, key: "k")
    _ = try await backend.patch(path, #"{"revision":1,"ttl_seconds":600,"title":"b"}"#)
    let again = try await backend.create(Self.body(fields), key: "k")
    #expect(again.header("Idempotent-Replayed") == "true" && again.body == first.body)
    _ = try await backend.post("\(path)/cancel")
    #expect(try await backend.create(Self.body(fields), key: "k").body == first.body)
    #expect(try await backend.create(Self.body(#""send_at":null"#), key: "k").code == "IDEMPOTENCY_KEY_REUSED")
    #expect(try await backend.messageCount() == 1)
  }

  @Test("Its filter and its guards are read back before it starts, and checked when they are changed")
  func guarded() async throws {
    let backend = try await Backend.make()
    let reply = try await backend.create(
      #"{"target":{"filter":{"field":"platform","op":"is","value":"ios"}},"title":"a","max_recipients":7,"#
        + #""send_at":"\#(Self.time(3_600))"}"#)
    let path = "/v1/messages/\(try #require(reply.json["id"]?.string))"
    let read = try await backend.get(path)
    #expect(read.json.at("target", "kind") == .string("filter") && read.json["max_recipients"] == .integer(7))
    #expect(read.json.at("target", "filter", "field") == .string("platform"), "\(read)")
    let changed = try await backend.patch(
      path, #"{"revision":1,"max_recipients":null,"target":{"filter":null,"test_devices":true}}"#)
    #expect(changed.json["max_recipients"] == .null && changed.json.at("target", "kind") == .string("test_devices"))
    let missing = try await backend.patch(
      path, #"{"revision":2,"target":{"exclude_segment_ids":["01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"]}}"#)
    #expect(missing.status == 422 && missing.faults == ["/target/exclude_segment_ids/0 NOT_FOUND"], "\(missing)")
  }

  @Test("What was kept is the message again when it starts, with its revision and its local time")
  func composes() async throws {
    let backend = try await Backend.make()
    let (path, _) = try await Self.scheduled(
      backend, #""send_at":"\#(Self.time(-10))","throttle_per_minute":60,"localizations":{"DE":{"title":"ä"}}"#)
    let id = try #require(MessageID(parsing: String(path.suffix(36))))
    let store = ScheduleStore(pool: backend.running.pool)
    let seen = Seen()
    // Another tenant's may be due as well.
    while try await store.startDue(
      limit: 1,
      compose: { due in
        let message = try await MessageComposer().compose(due)
        await seen.add(message)
        return message
      }
    ).isEmpty == false {}
    let message = try #require(await seen.messages.first { $0.id == id })
    #expect(message.throttlePerMinute == 60 && message.start?.revision == 1 && message.createdBy == backend.keyID)
    #expect(message.payloads.localized.map(\.language) == ["de"])
    #expect(try await backend.get(path).json["state"] == .string("planning"))
    #expect(try await backend.get(path).json.at("content", "title") == .string("a"))
  }

  private actor Seen {
    private(set) var messages: [NewMessage] = []
    func add(_ message: NewMessage) { messages.append(message) }
  }
}
