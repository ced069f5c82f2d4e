import Foundation
import JSON
import Postgres
import TestSupport
import Testing

/// Audiences from the preview to the devices, and plans whose node dies.
@Suite("Messages to audiences on real nodes", .serialized)
struct AudienceTests {
  private static let pro = #"{"field":"tag.plan","op":"is","value":"pro"}"#

  /// A third of all have the tag; every tenth doesn't want pushes.
  private func tag(_ lab: Lab) async throws {
    try await lab.server.query(
      """
      UPDATE installation
      SET tags = jsonb_build_object('plan', CASE WHEN installation_no % 3 = 0 THEN 'pro' ELSE 'free' END),
        push_preference = installation_no % 10 <> 0
      """)
  }

  private func preview(_ lab: Lab, _ json: String) async throws -> (digest: String, sendable: Int64) {
    let answer = try await lab.call("POST", "/v1/segments/preview", node: 0, json: json)
    guard answer.status == 200, let digest = answer.object["digest"]?.string,
      let sendable = answer.object["sendable"]?.integer
    else { throw TestFailure("preview: \(answer.status) \(answer.text)") }
    return (digest, sendable)
  }

  private func send(_ lab: Lab, _ json: String, node: Int = 0) async throws -> String {
    let answer = try await lab.call("POST", "/v1/messages", node: node, json: json)
    guard answer.status == 201, let id = answer.object["id"]?.string else {
      throw TestFailure("message: \(answer.status) \(answer.text)")
    }
    return id
  }

  private func refused(_ lab: Lab, _ id: String) async throws -> JSONObject {
    try await eventually("message \(id) is refused", within: .seconds(30)) {
      let message = try await lab.server.message(id)
      return message["state"]?.string == "refused" ? message : nil
    }
  }

  @Test("What was previewed is planned and delivered, to exactly those devices; once it moved the digest refuses (K8)")
  func frozenAndMoving() async throws {
    try await Lab.with(nodes: 2, devices: 2_000) { lab in
      try await tag(lab)
      let found = try await preview(lab, #"{"filter":\#(Self.pro)}"#)
      let body = """
        {"target":{"filter":\(Self.pro)},"title":"Hello","max_recipients":\(found.sendable),
         "expected_audience":{"digest":"\(found.digest)","count":\(found.sendable)}}
        """
      let id = try await send(lab, body)
      let message = try await lab.settled(id)
      #expect(message.ledgerAddsUp && message.ledger("accepted") == found.sendable)
      #expect(message["matched"]?.integer == found.sendable)
      let audit = try await Audit(lab)
      let meant = try await lab.server.texts(
        "SELECT push_token FROM installation WHERE reachable AND tags ->> 'plan' = 'pro'")
      #expect(Set(audit.delivered.map(\.token)) == Set(meant) && audit.doubled.isEmpty)
      #expect(audit.delivered.allSatisfy { $0.message == id })

      try await lab.server.query(
        """
        UPDATE installation SET tags = '{}'
        WHERE installation_no = (
          SELECT min(installation_no) FROM installation WHERE tags ->> 'plan' = 'pro' AND reachable
        )
        """)
      let late = try await send(lab, body, node: 1)
      let refusal = try await refused(lab, late)
      #expect(refusal["refusal"]?.object?["code"]?.string == "AUDIENCE_CHANGED")
      #expect(refusal["refusal"]?.object?["found_count"]?.integer == found.sendable - 1)
      #expect(refusal.ledger("targeted") == 0 && refusal.ledgerAddsUp)
      #expect(try await Audit(lab).count(of: late) == 0)
      await lab.stop()
    }
  }

  @Test("Two nodes plan and send messages to different audiences at once: everyone meant gets each of them once")
  func together() async throws {
    try await Lab.with(nodes: 2, devices: 600) { lab in
      try await tag(lab)
      let created = try await lab.call(
        "POST", "/v1/segments", node: 0, json: #"{"name":"Pros","filter":\#(Self.pro)}"#)
      let segment = try #require(created.object["id"]?.string)
      let targets = [
        #"{"segment_ids":["\#(segment)"]}"#, #"{"everyone":true,"exclude_segment_ids":["\#(segment)"]}"#,
        #"{"filter":{"not":\#(Self.pro)}}"#,
      ]
      var ids: [String] = []
      for number in 0..<6 {
        ids.append(
          try await send(lab, #"{"target":\#(targets[number % 3]),"title":"Hello"}"#, node: number % 2))
      }
      let pros = try await preview(lab, #"{"segment_ids":["\#(segment)"]}"#).sendable
      let all = try await preview(lab, #"{"filter":{"all":[]}}"#).sendable
      for (number, id) in ids.enumerated() {
        let message = try await lab.settled(id, on: 1)
        #expect(message.ledger("accepted") == (number % 3 == 0 ? pros : all - pros) && message.ledgerAddsUp)
      }
      let audit = try await Audit(lab)
      #expect(audit.doubled.isEmpty && audit.delivered.count == Int(2 * pros + 4 * (all - pros)))
      await lab.stop()
    }
  }

  @Test(
    "A node that is killed at any page of a plan: another goes on, and everyone meant is planned once", arguments: 0...4
  )
  func killed(page: Int) async throws {
    try await Lab.with(nodes: 1, devices: 0) { lab in
      try await lab.server.fill(100_000)
      try await tag(lab)
      // Planned, not sent: this is about the plan.
      try await lab.app("pause")
      let pool = ConnectionPool(PoolConfiguration(url: lab.server.databaseURL))
      let id = try await send(lab, #"{"target":{"filter":{"not":\#(Self.pro)}},"title":"Hello"}"#)
      while try await !kill(lab, at: page, of: id, pool) {}
      #expect(try await lab.server.ending().status == -SIGKILL)
      try await lab.server.query("UPDATE message SET plan_lease_until = '-infinity'")
      let other = try await lab.server.anotherNode()
      _ = try await eventually("the plan is through", within: .seconds(60)) {
        try await pool.run(Self.texts("SELECT 'x' FROM message WHERE plan_done")).isEmpty ? nil : true
      }
      let missing = try await pool.run(
        Self.texts(
          """
          WITH p AS (
            SELECT u.no, count(*) FROM message_chunk k CROSS JOIN unnest(k.members) AS u (no) GROUP BY 1
          )
          SELECT coalesce(p.count, 0) || ' times ' || i.installation_no
          FROM p
          FULL JOIN (SELECT * FROM installation WHERE reachable AND tags ->> 'plan' = 'free') i
            ON i.installation_no = p.no
          WHERE p.count IS DISTINCT FROM 1 OR i.installation_no IS NULL
          LIMIT 5
          """))
      #expect(missing == [])
      let planned = try await pool.run(
        Self.texts("SELECT (planned = (SELECT sum(n) FROM message_chunk))::text || ' ' || state FROM message"))
      #expect(planned == ["true 2"])
      await pool.close()
      other.signal(SIGTERM)
      _ = await other.ending()
    }
  }

  /// Holds the message between two pages, kills the node, and lets go. False when planning isn't that far.
  private func kill(_ lab: Lab, at page: Int, of id: String, _ pool: ConnectionPool) async throws -> Bool {
    try await pool.transaction { transaction in
      let rows = try await transaction.run(
        Self.texts(
          "SELECT next_chunk || ' ' || plan_done FROM message WHERE message_id = '\(id)' FOR UPDATE"))
      let words = try #require(rows.first?.split(separator: " "))
      guard words[1] == "false" else { throw TestFailure("planning was over before page \(page)") }
      guard let chunks = Int(words[0]), chunks >= page * 10 else { return false }
      lab.server.signal(SIGKILL)
      _ = try await lab.server.ending()
      return true
    }
  }

  private static func texts(_ sql: String) -> DynamicStatement<String> {
    DynamicStatement(name: "texts", sql: sql, parameters: Parameters(), decode: text)
  }

  private static let text: @Sendable (inout RowReader) throws(PostgresError) -> String = { row throws(PostgresError) in
    try row.string()
  }
}
