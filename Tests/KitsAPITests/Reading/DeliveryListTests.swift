import Foundation
import JSON
import KitsCore
import Postgres
import Testing

@testable import KitsAPI

@Suite("GET /v1/messages/{id}/deliveries")
struct DeliveryListTests {
  /// Of every class.
  static let bytes: [UInt8] = [0, 1, 1, 1, 2, 3, 5, 8, 16, 17, 18, 32, 34]

  /// Three chunks, of whose members some are devices.
  static func message(_ backend: Backend, seed: Int = 1) async throws -> (id: String, devices: [Device]) {
    let id = try await backend.message()
    var devices: [Device] = []
    for _ in 0..<3 { devices.append(try await backend.phone()) }
    let numbers = try await backend.numbers(devices).sorted()
    var state = UInt32(truncatingIfNeeded: seed)
    for chunk in 0..<3 {
      let others = (0..<40).map { Int64(1_000_000 + chunk * 100 + $0) }
      let members = [numbers[chunk]] + others
      let outcomes = members.map { _ -> UInt8 in
        state = state &* 1_664_525 &+ 1_013_904_223
        return bytes[Int(state >> 16) % bytes.count]
      }
      try await backend.chunk(id, chunk, members: members, outcomes: outcomes)
    }
    return (id, devices)
  }

  static func counts(_ deliveries: [JSONValue], _ name: String) -> [String: Int64] {
    deliveries.reduce(into: [:]) { $0[$1[name]?.string ?? "", default: 0] += 1 }
  }

  @Test("K11: over all pages the outcomes are those of the ledger", arguments: [1, 7, 40, 41, 42, 122, 123, 1_000])
  func addsUp(limit: Int) async throws {
    let backend = try await Backend.make()
    let (id, devices) = try await Self.message(backend, seed: limit)
    let (all, pages) = try await backend.deliveries(id, limit: limit)
    #expect(all.count == 123 && pages >= (123 + limit - 1) / limit)
    let ledger = try #require(try await backend.get("/v1/messages/\(id)").json["ledger"]?.object)
    let counts = Self.counts(all, "outcome")
    for outcome in OutcomeClass.allCases {
      #expect(counts[outcome.name, default: 0] == ledger[outcome.name]?.integer)
    }
    let named = Set(all.compactMap { $0["installation_id"]?.string })
    #expect(named == Set(devices.map(\.id)))
  }

  @Test("every filter shows exactly what it names", arguments: [3, 1_000])
  func filters(limit: Int) async throws {
    let backend = try await Backend.make()
    let (id, devices) = try await Self.message(backend)
    let numbers = try await backend.numbers(devices)
    try await backend.confirm(id, [numbers[0], 1_000_105])
    try await backend.confirm(id, [numbers[1]], type: 2)
    let (all, _) = try await backend.deliveries(id)
    for outcome in OutcomeClass.allCases {
      let (found, _) = try await backend.deliveries(id, "&outcome=\(outcome.name)", limit: limit)
      #expect(found == all.filter { $0["outcome"]?.string == outcome.name })
    }
    for reason in Self.counts(all, "reason").keys {
      let (found, _) = try await backend.deliveries(id, "&reason=\(reason)", limit: limit)
      #expect(found == all.filter { $0["reason"]?.string == reason })
    }
    for (event, member) in [("received", "received_at"), ("clicked", "clicked_at")] {
      let (found, _) = try await backend.deliveries(id, "&event=\(event)", limit: limit)
      #expect(found == all.filter { $0[member] != .null } && !found.isEmpty)
      let (rest, _) = try await backend.deliveries(id, "&event=not_\(event)", limit: limit)
      #expect(rest == all.filter { $0[member] == .null })
    }
    let (both, _) = try await backend.deliveries(id, "&outcome=accepted&event=not_received", limit: limit)
    #expect(both == all.filter { $0["outcome"]?.string == "accepted" && $0["received_at"] == .null })
    #expect(try await backend.deliveries(id, "&reason=nonsense").all.isEmpty)
    #expect(try await backend.deliveries(id, "&outcome=failed&reason=no_token").all.isEmpty)
  }

  @Test("what a page costs is bounded: an empty one has a cursor when there is more to look through")
  func bounded() async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    try await backend.running.pool.script(
      """
      INSERT INTO message_chunk (app_no, message_no, chunk_no, n, lo, hi, members, outcomes)
      SELECT app_no, message_no, c, 1, 2000000 + c, 2000000 + c, ARRAY[2000000 + c::bigint],
        CASE c WHEN 2499 THEN '\\x22'::bytea ELSE '\\x01' END
      FROM message, generate_series(0, 2499) c WHERE message_id = '\(id)';
      UPDATE message SET state = 2, plan_done = true, planned = 2500 WHERE message_id = '\(id)';
      """)
    let first = try await backend.get("/v1/messages/\(id)/deliveries?outcome=failed")
    #expect(first.json["data"] == .array([]) && first.json["next_cursor"]?.string != nil)
    let (found, pages) = try await backend.deliveries(id, "&outcome=failed")
    #expect(found.map { $0["reason"]?.string } == ["BadDeviceToken"] && pages == 3)
    #expect(try await backend.deliveries(id, limit: 1_000).all.count == 2_500)
  }

  @Test("attempts and what was sent again are told")
  func attempts() async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    // Queued, accepted, in retry, suppressed, accepted after a resend, failed.
    try await backend.chunk(id, members: [1, 2, 3, 4, 5, 6], outcomes: [0, 1, 2, 3, 1, 32])
    try await backend.running.pool.script(
      """
      INSERT INTO delivery_retry (app_no, message_no, chunk_no, idx, attempts, last_status, last_reason, not_before)
      SELECT app_no, message_no, 0, 2, 4, 503, 'ServiceUnavailable', now() FROM message WHERE message_id = '\(id)';
      INSERT INTO delivery_summary (app_no, message_no, chunk_no, idx, attempts, last_status, last_reason, resent)
      SELECT app_no, message_no, 0, 4, 2, 200, 'accepted', true FROM message WHERE message_id = '\(id)';
      """)
    let (all, _) = try await backend.deliveries(id)
    #expect(all.map { $0["attempts"]?.integer } == [0, 1, 4, 0, 2, 1])
    #expect(all.map { $0["resent"] == .bool(true) } == [false, false, false, false, true, false])
    #expect(
      all.map { $0["reason"]?.string } == ["queued", "accepted", "in_retry", "no_token", "accepted", "Unregistered"])
    #expect(
      all[0].object?.keys == [
        "installation_id", "outcome", "reason", "attempts", "resent", "received_at", "clicked_at",
      ])
  }

  @Test("CSV says the same as JSON, page by page")
  func table() async throws {
    let backend = try await Backend.make()
    let (id, devices) = try await Self.message(backend)
    try await backend.confirm(id, [try await backend.number(devices[2])])
    try await backend.running.pool.script(
      "INSERT INTO outcome_code VALUES (200, 2, '=1+\"x\"') ON CONFLICT DO NOTHING")
    try await backend.chunk(id, 3, members: [5], outcomes: [200])
    var lines: [String] = []
    var cursor: String? = ""
    while let next = cursor {
      let path = "/v1/messages/\(id)/deliveries?limit=50" + (next.isEmpty ? "" : "&cursor=\(next)")
      let reply = try await backend.running.send("GET", path, headers: backend.bearer + [("Accept", "text/csv")])
      #expect(reply.status == 200)
      #expect(reply.header("Content-Type") == "text/csv; charset=utf-8; header=present")
      #expect(reply.header("Cache-Control") == "no-store")
      let page = String(decoding: reply.body, as: UTF8.self).components(separatedBy: "\r\n")
      #expect(page.first == "installation_id,outcome,reason,attempts,resent,received_at,clicked_at")
      #expect(page.last == "")
      lines += page.dropFirst().dropLast()
      cursor = reply.header("X-Kits-Next-Cursor")
    }
    let (all, _) = try await backend.deliveries(id)
    let expected = all.map { delivery in
      let text = { (name: String) in delivery[name]?.string ?? "" }
      let reason = text("reason") == "=1+\"x\"" ? "\"'=1+\"\"x\"\"\"" : text("reason")
      return [
        text("installation_id"), text("outcome"), reason, "\(delivery["attempts"]?.integer ?? -1)",
        delivery["resent"] == .bool(true) ? "true" : "false", text("received_at"), text("clicked_at"),
      ].joined(separator: ",")
    }
    #expect(lines == expected && lines.count == 124)
  }

  @Test(
    "the form is the one that is liked best",
    arguments: [
      ([], .json), (["text/csv"], .csv), (["TEXT/CSV; charset=utf-8"], .csv), (["*/*"], .json),
      (["text/csv, */*;q=0.1"], .csv), (["text/csv;q=0.5, application/json"], .json), (["text/csv;q=0"], .json),
      (["application/json, text/csv"], .json), (["text/html", "text/csv"], .csv), (["text/csv;q=x"], .json),
      (["text/html,*/*;q=0.8"], .json),
    ] as [([String], DeliveryForm)])
  func form(accept: [String], form: DeliveryForm) {
    #expect(DeliveryForm(accepting: accept) == form)
  }

  @Test("a cursor is good for its own list alone")
  func cursors() async throws {
    let backend = try await Backend.make()
    let (id, _) = try await Self.message(backend)
    let other = try await Self.message(backend).id
    let path = "/v1/messages/\(id)/deliveries"
    let cursor = try #require(try await backend.get("\(path)?limit=1").json["next_cursor"]?.string)
    for wrong in [
      "/v1/messages/\(other)/deliveries?limit=1&cursor=\(cursor)", "\(path)?outcome=failed&cursor=\(cursor)",
      "\(path)?event=received&cursor=\(cursor)", "\(path)?reason=-&cursor=\(cursor)", "\(path)?cursor=x",
      "\(path)?cursor=\(cursor.dropLast(2))AA",
    ] {
      let reply = try await backend.get(wrong)
      #expect(reply.status == 400 && reply.faults == ["cursor BAD_FORMAT"], "\(wrong)")
    }
    #expect(try await backend.get("\(path)?limit=7&cursor=\(cursor)").json["data"]?.array?.count == 7)
  }

  @Test(
    "parameters are checked at their limits",
    arguments: [
      ("limit=0", "limit TOO_SMALL"), ("limit=1001", "limit TOO_LARGE"), ("outcome=sent", "outcome NOT_ALLOWED"),
      ("event=seen", "event NOT_ALLOWED"), ("reason=", "reason TOO_SHORT"), ("x=1", "x UNKNOWN_FIELD"),
      ("reason=\(String(repeating: "a", count: 65))", "reason TOO_LONG"), ("reason=a%E2%80%AEb", "reason BAD_FORMAT"),
    ])
  func parameters(query: String, fault: String) async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    let path = "/v1/messages/\(id)/deliveries"
    let reply = try await backend.get("\(path)?\(query)")
    #expect(reply.status == 400 && reply.code == "QUERY_INVALID" && reply.faults == [fault])
    let good = try await backend.get("\(path)?limit=1000&reason=\(String(repeating: "a", count: 64))")
    #expect(good.status == 200 && good.json["planned"] == .bool(false) && good.json["next_cursor"] == .null)
  }

  @Test("when the deliveries are forgotten, the ledger is what is left")
  func forgotten() async throws {
    let backend = try await Backend.make()
    let (id, devices) = try await Self.message(backend)
    let before = try await backend.get("/v1/messages/\(id)")
    try await backend.running.pool.script(
      """
      INSERT INTO message_rollup (app_no, message_no, codes, counts)
      SELECT x.app_no, x.message_no, array_agg(x.code ORDER BY x.code), array_agg(x.count ORDER BY x.code)
      FROM (
        SELECT k.app_no, k.message_no, get_byte(k.outcomes, i)::smallint AS code, count(*) AS count
        FROM message_chunk k JOIN message USING (app_no, message_no) CROSS JOIN generate_series(0, k.n - 1) i
        WHERE message_id = '\(id)' GROUP BY 1, 2, 3
      ) x GROUP BY 1, 2;
      DELETE FROM message_chunk k USING message m
      WHERE m.app_no = k.app_no AND m.message_no = k.message_no AND m.message_id = '\(id)';
      """)
    let reply = try await backend.get("/v1/messages/\(id)/deliveries")
    #expect(reply.status == 410 && reply.code == "FORGOTTEN" && reply.json["retryable"] == .bool(false))
    let why = try await backend.why(id, devices[0])
    #expect(why.json["reach"] == .string("forgotten") && why.json["targeted"] == .null)
    #expect(why.json["delivery"] == .null && why.json["checks"] == .array([]))
    #expect(try await backend.get("/v1/messages/\(id)").json["ledger"] == before.json["ledger"])
  }

  @Test("a message that was refused, or that is only scheduled, has no deliveries and forgot none", arguments: [5, 6])
  func neverSent(state: Int) async throws {
    let backend = try await Backend.make()
    let id = try await backend.message()
    try await backend.running.pool.script(
      "UPDATE message SET state = \(state), plan_done = true, planned = 3 WHERE message_id = '\(id)'")
    let reply = try await backend.get("/v1/messages/\(id)/deliveries")
    #expect(reply.status == 200 && reply.json["data"] == .array([]) && reply.json["next_cursor"] == .null)
    #expect(reply.json["planned"] == .bool(state == 5))
    let why = try await backend.why(id, try await backend.phone())
    #expect(why.json["reach"] == .string("kept"))
    #expect(why.json["targeted"] == (state == 5 ? .bool(false) : .null))
  }
}
