import JSON
import KitsCore
import KitsStore
import Postgres
import Testing

@testable import KitsAPI

@Suite("Why an installation got a message, or didn't")
struct ExplanationTests {
  /// A message of which the phone is a member, and its answer.
  static func explained(
    _ outcome: UInt8, bindings: [Int64]? = nil,
    _ change: (Backend, String, Device) async throws -> Void = { _, _, _ in }
  ) async throws -> JSONValue {
    let backend = try await Backend.make()
    let phone = try await backend.phone()
    let id = try await backend.message()
    let number = try await backend.number(phone)
    try await backend.chunk(
      id, members: [number - 1, number, number + 1], outcomes: [3, outcome, 16],
      bindings: bindings.map { [7] + $0 + [7] })
    try await change(backend, id, phone)
    let reply = try await backend.why(id, phone)
    #expect(reply.status == 200)
    #expect(reply.json["targeted"] == .bool(true) && reply.json["reach"] == .string("kept"))
    #expect(reply.json["checks"] == .array([]))
    return reply.json
  }

  @Test("K9: of a member the delivery is told, with its receipt and its click")
  func accepted() async throws {
    let json = try await Self.explained(1) { backend, id, phone in
      let number = try await backend.number(phone)
      try await backend.confirm(id, [number], source: 2)
      try await backend.confirm(id, [number], type: 2)
    }
    let delivery = try #require(json["delivery"])
    #expect(
      delivery.object?.keys == [
        "outcome", "reason", "attempts", "resent", "push_service", "next_attempt_at", "binding", "chunk", "received",
        "clicked",
      ])
    #expect(delivery["outcome"] == .string("accepted") && delivery["attempts"] == .integer(1))
    #expect(delivery["push_service"]?.object == ["status": .integer(200), "reason": .string("accepted")])
    #expect(delivery["binding"] == .null && delivery["next_attempt_at"] == .null)
    #expect(delivery.at("chunk", "last_outcome_at")?.string != nil)
    #expect(delivery.at("received", "source") == .string("extension"))
    #expect(delivery.at("received", "occurred_at")?.string != nil)
    #expect(delivery.at("clicked", "source") == .string("app"))
    let state = try #require(json["installation"])
    #expect(state["reachable"] == .bool(true) && state.at("push_token", "state") == .string("active"))
    #expect(state.at("push_token", "moved") == .bool(false) && state.at("binding", "number") == .integer(1))
  }

  @Test("a failure has the push service's word; a retry its attempts and its time")
  func failures() async throws {
    let refused = try await Self.explained(32)
    #expect(refused.at("delivery", "push_service")?.object == ["status": .null, "reason": .string("Unregistered")])
    let waiting = try await Self.explained(2) { backend, id, _ in
      try await backend.running.pool.script(
        """
        INSERT INTO delivery_retry (app_no, message_no, chunk_no, idx, attempts, last_status, last_reason, not_before)
        SELECT app_no, message_no, 0, 1, 3, 429, 'TooManyRequests', now() FROM message WHERE message_id = '\(id)';
        """)
    }
    #expect(waiting.at("delivery", "attempts") == .integer(3))
    #expect(waiting.at("delivery", "next_attempt_at")?.string != nil)
    #expect(
      waiting.at("delivery", "push_service")?.object == ["status": .integer(429), "reason": .string("TooManyRequests")])
    let resent = try await Self.explained(18) { backend, id, _ in
      try await backend.running.pool.script(
        """
        INSERT INTO delivery_summary (app_no, message_no, chunk_no, idx, attempts, last_status, last_reason, resent)
        SELECT app_no, message_no, 0, 1, 2, 0, 'unknown', true FROM message WHERE message_id = '\(id)';
        """)
    }
    #expect(resent.at("delivery", "resent") == .bool(true) && resent.at("delivery", "attempts") == .integer(2))
    #expect(resent.at("delivery", "push_service")?.object == ["status": .null, "reason": .string("unknown")])
    #expect(try await Self.explained(16).at("delivery", "push_service") == .null)
  }

  @Test("of a fenced message the binding then is compared with the binding now")
  func fenced() async throws {
    let same = try await Self.explained(1, bindings: [1])
    #expect(same.at("delivery", "binding")?.object == ["number": .integer(1), "is_current": .bool(true)])
    let other = try await Self.explained(8, bindings: [1]) { backend, _, phone in
      try await backend.running.pool.script(
        "UPDATE installation SET binding_number = 2, external_id = 'somebody' WHERE installation_id = '\(phone.id)'")
    }
    #expect(other.at("delivery", "binding")?.object == ["number": .integer(1), "is_current": .bool(false)])
    #expect(other.at("delivery", "reason") == .string("identity_changed"))
    #expect(other.at("installation", "binding", "identified") == .bool(true))
    // Who the user is belongs to another scope.
    #expect(!"\(other)".contains("somebody"))
  }

  /// A planned message to everyone of which the phone is no member; what fails, and its answer.
  static func excluded(
    _ phone: (Backend) async throws -> Device, _ change: (Backend, String, Device) async throws -> Void = { _, _, _ in }
  ) async throws -> (failing: [String], json: JSONValue) {
    let backend = try await Backend.make()
    let phone = try await phone(backend)
    let id = try await backend.message()
    try await backend.chunk(id, members: [999_999_998, 999_999_999], outcomes: [1, 1])
    try await change(backend, id, phone)
    let reply = try await backend.why(id, phone)
    #expect(reply.status == 200)
    let checks = reply.json["checks"]?.array ?? []
    return (checks.filter { $0["passes"] == .bool(false) }.compactMap { $0["check"]?.string }, reply.json)
  }

  @Test(
    "K5: whoever can't be sent to learns by what",
    arguments: [
      (#"{"platform":"ios"}"#, ["token"]), (#"{"platform":"ios","push_token":"TOKEN"}"#, []),
      (#"{"platform":"ios","push_token":"TOKEN","permission":"denied"}"#, ["permission"]),
      (#"{"platform":"ios","push_token":"TOKEN","push_preference":false}"#, ["push_preference"]),
      (#"{"platform":"android","push_token":"TOKEN"}"#, ["platform"]),
      (
        #"{"platform":"ios","permission":"not_determined","push_preference":false}"#,
        ["token", "permission", "push_preference"]
      ),
    ] as [(String, [String])])
  func unreachable(device: String, failing: [String]) async throws {
    let found = try await Self.excluded { backend in
      try await backend.tenant.device(device.replacing("TOKEN", with: Tenant.pushToken()))
    }
    #expect(found.failing == failing)
    #expect(found.json["targeted"] == .bool(false) && found.json["delivery"] == .null)
  }

  @Test("a token that moved, or that the push service refused, speaks against it")
  func tokens() async throws {
    let moved = try await Self.excluded {
      try await $0.phone()
    } _: { backend, _, phone in
      try await backend.running.pool.script(
        """
        UPDATE token_owner o SET installation_no = -1 FROM installation i
        WHERE o.app_no = i.app_no AND o.token = i.push_token AND i.installation_id = '\(phone.id)'
        """)
    }
    #expect(moved.failing == ["token"] && moved.json.at("installation", "push_token", "moved") == .bool(true))
    let suspect = try await Self.excluded {
      try await $0.phone()
    } _: { backend, _, phone in
      try await backend.running.pool.script(
        "UPDATE installation SET token_state = 2 WHERE installation_id = '\(phone.id)'")
    }
    #expect(suspect.failing == ["token"])
    #expect(suspect.json.at("installation", "push_token", "state") == .string("suspect"))
  }

  @Test("whoever came after the message started, or isn't proven where that is asked for, was left out")
  func timeAndProof() async throws {
    let late = try await Self.excluded {
      try await $0.phone()
    } _: { backend, id, _ in
      try await backend.running.pool.script(
        """
        UPDATE message SET started_at = now() - interval '1 hour', verified_only = true WHERE message_id = '\(id)'
        """)
    }
    #expect(late.failing == ["registered", "verified"])
    #expect(
      late.json["checks"]?.array?.compactMap { $0["check"]?.string } == [
        "app", "registered", "verified", "platform", "token", "permission", "push_preference",
      ])
  }

  static func store(_ filter: Filter, _ backend: Backend, _ message: String, ago: String = "0 seconds") async throws {
    try await backend.running.pool.script(
      """
      INSERT INTO message_audience (app_no, message_id, audience, fixed_at)
      SELECT app_no, message_id, '\(String(decoding: FilterWriter.bytes(filter), as: UTF8.self))',
        now() - interval '\(ago)'
      FROM message WHERE message_id = '\(message)'
      """)
  }

  @Test("K8: of a filter the clauses that decided are named")
  func clauses() async throws {
    let pro = Filter.condition(.tag(key: "plan", .one("pro")))
    let german = Filter.condition(.language(.one(LanguageTag(trusted: "de"))))
    let ios = Filter.condition(.platform(.one(.ios)))
    let audience = Filter.audience(of: [.all([ios, pro])], excluding: [.condition(.identified(true)), german])
    let found = try await Self.excluded { backend in
      let phone = try await backend.phone()
      try await backend.running.pool.script(
        """
        UPDATE installation SET language = 'de-at', tags = '{"plan": "free"}'
        WHERE installation_id = '\(phone.id)'
        """)
      return phone
    } _: { backend, id, _ in
      try await Self.store(audience, backend, id)
    }
    #expect(found.failing == ["audience"])
    let check = found.json["checks"]?.array?.first { $0["check"] == .string("audience") }
    let clauses = try #require(check?["clauses"]?.array).map { clause in
      "\(clause["pointer"]?.string ?? "") \(clause["matches"] == .bool(true)) "
        + (clause["filter"].map { String(decoding: JSON.write($0), as: UTF8.self) } ?? "")
    }
    #expect(
      clauses == [
        #"/all/0/all/1 false {"field":"tag.plan","op":"is","value":"pro"}"#,
        #"/all/1/not/any/1 true {"field":"language","op":"is","value":"de"}"#,
      ])
  }

  @Test(
    "ages count from the moment at which the message was planned", arguments: [("1 hour", true), ("3 hours", false)])
  func ages(fixedAgo: String, passes: Bool) async throws {
    // Two hours ago, so at least 30 minutes before one hour ago, but not before three hours ago.
    let found = try await Self.excluded { backend in
      let phone = try await backend.phone()
      try await backend.running.pool.script(
        "UPDATE installation SET last_session_at = now() - interval '2 hours' WHERE installation_id = '\(phone.id)'")
      return phone
    } _: { backend, id, _ in
      try await Self.store(.condition(.session(.last, .olderThan(seconds: 1_800))), backend, id, ago: fixedAgo)
    }
    #expect(found.failing == (passes ? [] : ["audience"]))
  }

  @Test("a filter with as many conditions as there may be is looked at whole")
  func large() async throws {
    let leaf = Filter.condition(.tag(key: "plan", .one("pro")))
    let found = try await Self.excluded {
      try await $0.phone()
    } _: { backend, id, _ in
      try await Self.store(.any(Array(repeating: leaf, count: Limits.filterLeaves)), backend, id)
    }
    let check = found.json["checks"]?.array?.first { $0["check"] == .string("audience") }
    #expect(check?["clauses"]?.array?.count == Limits.filterLeaves)
  }

  @Test("whether it was named is told when that is sure")
  func named() async throws {
    let backend = try await Backend.make()
    let (other, phone) = (try await backend.phone(), try await backend.phone())
    let silent = try await backend.tenant.device()
    func named(_ ids: [Device]) async throws -> (String, JSONValue?) {
      let list = ids.map { "\"\($0.id)\"" }.joined(separator: ",")
      let reply = try await backend.create("{\"target\":{\"installation_ids\":[\(list)]},\"title\":\"a\"}")
      let id = try #require(reply.json["id"]?.string)
      let why = try await backend.why(id, phone)
      return (id, why.json["checks"]?.array?.first { $0["check"] == .string("named") }?["passes"])
    }
    #expect(try await named([other]).1 == .bool(false))
    // Somebody who was named couldn't be sent to: it may have been this one.
    let (id, unsure) = try await named([other, silent])
    #expect(unsure == .null)
    try await backend.running.pool.script(
      """
      INSERT INTO message_target (app_no, message_no, members)
      SELECT app_no, message_no, ARRAY[\(try await backend.number(phone))] FROM message WHERE message_id = '\(id)'
      """)
    let listed = try await backend.why(id, phone).json["checks"]?.array?.first { $0["check"] == .string("named") }
    #expect(listed?["passes"] == .bool(true))
    #expect(try await named([other, phone]).1 == nil)
  }

  @Test("while a message is planned, nobody is out yet")
  func planning() async throws {
    let backend = try await Backend.make()
    let reply = try await backend.why(try await backend.message(), try await backend.phone())
    #expect(reply.json["targeted"] == .null && reply.json["planned"] == .bool(false))
    #expect(reply.json["reach"] == .string("kept") && reply.json["checks"]?.array?.isEmpty == false)
  }

  @Test("an installation of another app of the environment was never meant")
  func otherApp() async throws {
    let backend = try await Backend.make()
    let phone = try await backend.phone()
    let app = try await backend.addApp()
    let reply = try await backend.create("{\"app_id\":\"\(app.text)\",\"target\":{\"everyone\":true},\"title\":\"a\"}")
    let why = try await backend.why(try #require(reply.json["id"]?.string), phone)
    #expect(why.json["targeted"] == .bool(false))
    #expect(why.json["checks"]?.array?.map { $0["check"] } == [.string("app")])
  }

  @Test("a member is found in whichever chunk it is, alone or among a thousand")
  func position() async throws {
    let backend = try await Backend.make()
    let phone = try await backend.phone()
    let number = try await backend.number(phone)
    for place in [0, 500, 999] {
      let id = try await backend.message()
      let members = (0..<1_000).map { number - Int64(place) + Int64($0) }
      try await backend.chunk(id, 0, members: [number - 5_000, number + 5_000], outcomes: [32, 32])
      try await backend.chunk(id, 1, members: members, outcomes: members.map { $0 == number ? 1 : 32 })
      #expect(try await backend.why(id, phone).json.at("delivery", "outcome") == .string("accepted"))
    }
    let alone = try await backend.message()
    try await backend.chunk(alone, 0, members: [number - 1], outcomes: [32])
    try await backend.chunk(alone, 1, members: [number], outcomes: [1])
    #expect(try await backend.why(alone, phone).json.at("delivery", "outcome") == .string("accepted"))
  }
}
