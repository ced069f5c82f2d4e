import Foundation
import JSON
import TestSupport
import Testing

/// The device changes hands between the message and its delivery, on two nodes.
@Suite("A push that waits for one user never reaches the next one", .serialized)
struct UserSwitchTests {
  private static func token(_ number: Int) -> String { String(format: "%064x", number) }

  /// The titles that the simulator took for a device.
  private func titles(_ lab: Lab, _ token: String) async throws -> [String] {
    try await lab.simulator.notifications(token: token).compactMap { notification in
      (notification["payload"] as? String)?.firstMatch(of: #/"title":"([^"]*)"/#).map { String($0.1) }
    }
  }

  private func expectSuppressed(_ message: JSONObject, _ count: Int) {
    #expect(message.ledgerAddsUp && message.ledger("suppressed") == Int64(count), "\(message)")
    let reasons = (message["reasons"]?.array ?? []).filter { $0.object?["class"]?.string == "suppressed" }
    #expect(reasons.map { $0.object?["reason"]?.string } == (count == 0 ? [] : ["identity_changed"]))
  }

  @Test(
    "A is queued, B logs in or A logs out: A's push is suppressed, B's arrives", arguments: ["b", nil] as [String?])
  func one(next: String?) async throws {
    try await Lab.with(nodes: 2, devices: 0) { lab in
      let device = try await lab.server.register(token: Self.token(1))
      try await lab.login("a", on: device, node: 0)
      try await lab.app("pause")
      let first = try await lab.send(toUsers: ["a"], title: "for a", node: 1)
      try await lab.login(next, on: device, node: 1)
      let second = try await lab.send(toUsers: ["b"], title: "for b", node: 0)
      try await lab.app("resume")
      let suppressed = try await lab.settled(first, on: 0)
      #expect(suppressed.ledger("targeted") == 1)
      expectSuppressed(suppressed, 1)
      let sent = try await lab.settled(second, on: 1)
      #expect(sent.ledger("accepted") == (next == nil ? 0 : 1) && sent.ledgerAddsUp)
      #expect(try await titles(lab, Self.token(1)) == (next == nil ? [] : ["for b"]))
      await lab.stop()
    }
  }

  @Test("A who logs in again is another binding: what waited for the first one is not sent")
  func back() async throws {
    try await Lab.with(nodes: 2, devices: 0) { lab in
      let device = try await lab.server.register(token: Self.token(1))
      try await lab.login("a", on: device, node: 0)
      try await lab.app("pause")
      let waiting = try await lab.send(toUsers: ["a"], title: "first", node: 1)
      try await lab.login(nil, on: device, node: 1)
      try await lab.login("a", on: device, node: 0)
      try await lab.app("resume")
      expectSuppressed(try await lab.settled(waiting), 1)
      let next = try await lab.send(toUsers: ["a"], title: "second", node: 1)
      #expect(try await lab.settled(next).ledger("accepted") == 1)
      #expect(try await titles(lab, Self.token(1)) == ["second"])
      await lab.stop()
    }
  }

  @Test("In a message for 200 users, exactly those whose device changed hands are left out")
  func fanOut() async throws {
    try await Lab.with(nodes: 2, devices: 200) { lab in
      try await lab.server.query(
        "UPDATE installation SET external_id = 'user-' || installation_no, binding_number = 2")
      let users = try await lab.server.texts("SELECT external_id FROM installation ORDER BY installation_no")
      try await lab.app("pause")
      let id = try await lab.send(toUsers: users, node: 1)
      for (number, installation) in lab.installations.enumerated() where number % 4 == 0 {
        try await lab.identify(installation, as: number % 8 == 0 ? "next-\(number)" : nil, node: number / 4 % 2)
      }
      try await lab.app("resume")
      let message = try await lab.settled(id)
      #expect(message.ledger("targeted") == 200 && message.ledger("accepted") == 150)
      expectSuppressed(message, 50)
      let moved = Set(
        try await lab.server.texts("SELECT push_token FROM installation WHERE binding_number > 2"))
      let audit = try await Audit(lab)
      #expect(moved.count == 50 && audit.count(of: id) == 150)
      #expect(audit.delivered.allSatisfy { !moved.contains($0.token) })
      await lab.stop()
    }
  }

  @Test("While both nodes send, users change: each device gets the push or is suppressed, and nobody is lost")
  func whileSending() async throws {
    try await Lab.with(nodes: 2, devices: 400) { lab in
      try await lab.server.query(
        "UPDATE installation SET external_id = 'user-' || installation_no, binding_number = 2")
      let users = try await lab.server.texts("SELECT external_id FROM installation ORDER BY installation_no")
      try await lab.simulator.post("/script", json: #"{"latency_ms":30}"#)
      let ids = [
        try await lab.send(toUsers: users, node: 0), try await lab.send(toUsers: users.reversed(), node: 1),
      ]
      for (number, installation) in lab.installations.enumerated().suffix(100) {
        try await lab.identify(installation, as: "next-\(number)", node: number % 2)
      }
      let audit: Audit
      var accepted = 0
      for id in ids {
        let message = try await lab.settled(id)
        #expect(message.ledgerAddsUp && message.ledger("targeted") == 400)
        let (sent, left) = (message.ledger("accepted") ?? 0, message.ledger("suppressed") ?? 0)
        #expect(sent + left == 400 && left <= 100)
        accepted += Int(sent)
      }
      audit = try await Audit(lab)
      #expect(audit.delivered.count == accepted && audit.doubled.isEmpty)
      await lab.stop()
    }
  }

  @Test("What waits behind a push service that stands still is looked at again before it is handed over")
  func standstill() async throws {
    try await withServer { server in
      let lab = try await Lab(server: server, nodes: 2, devices: 150)
      try await server.query("UPDATE installation SET external_id = 'user-' || installation_no, binding_number = 2")
      let users = try await server.texts("SELECT external_id FROM installation ORDER BY installation_no")
      try await lab.simulator.post("/hold")
      let id = try await lab.send(toUsers: users)
      try await lab.simulator.wait("held=1")
      try await server.query(
        """
        UPDATE installation
        SET external_id = 'next', binding_id = gen_random_uuid(), binding_number = binding_number + 1,
          binding_changed_at = now()
        """)
      // The lease tells when the rows were read: 60 seconds before its end.
      _ = try await eventually("what was read is too old") {
        let fresh = try await server.texts(
          """
          SELECT chunk_no::text FROM message_chunk WHERE NOT done AND lease_until > now() + interval '54 seconds'
          """)
        return fresh.isEmpty ? true : nil
      }
      let handedOver = try await lab.simulator.count("received")
      try await lab.simulator.post("/release")
      let message = try await lab.settled(id)
      #expect(message.ledger("accepted") == Int64(handedOver) && handedOver < 150)
      expectSuppressed(message, 150 - handedOver)
      await lab.stop()
    }
  }
}
