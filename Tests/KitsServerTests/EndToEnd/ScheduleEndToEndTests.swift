import Foundation
import JSON
import TestSupport
import Testing

/// Messages that start later and slowly, on real parts and several processes.
@Suite("Schedules from end to end", .serialized)
struct ScheduleEndToEndTests {
  static func time(_ seconds: Double) -> String {
    RFC3339.format(Int64((Date().timeIntervalSince1970 + seconds) * 1_000) * 1_000)
  }

  @Test("Two nodes start what is due, one of them is killed: each message starts once and reaches its device")
  func twoNodes() async throws {
    try await withServer { server in
      let device = try await server.register(token: FirstPushTests.token)
      var ids: [String] = []
      for number in 0..<30 {
        ids.append(
          try await server.send(
            #"{"target":{"installation_ids":["\#(device.id)"]},"title":"\#(number)","send_at":"\#(Self.time(1))"}"#))
      }
      let other = try await server.anotherNode("--only", "delivery")
      defer { other.signal(SIGKILL) }
      _ = try await eventually("some of them started") {
        try await server.texts("SELECT 'x' FROM message WHERE state <> 6 LIMIT 1").first
      }
      other.signal(SIGKILL)
      _ = await other.ending()
      for id in ids {
        let message = try await server.settled(id)
        #expect(message.ledger("accepted") == 1 && message.ledgerAddsUp)
        let sendAt = try #require(message["send_at"]?.string)
        let startedAt = try #require(message["started_at"]?.string)
        #expect(sendAt <= startedAt)
      }
      #expect(
        try await server.texts("SELECT count(*) || ' ' || count(DISTINCT message_no) FROM message_body") == ["30 30"])
      #expect(try await server.texts("SELECT count(*)::text FROM message_chunk") == ["30"])
      #expect(try await server.texts("SELECT count(*)::text FROM message_schedule") == ["0"])
      let seen = try await server.simulator.notifications(token: FirstPushTests.token)
      let titles = Set(seen.compactMap { $0["payload"] as? String })
      #expect(titles.count == 30)
    }
  }

  @Test("What was due while no node ran starts when one runs again, and says so")
  func downAtTheTime() async throws {
    try await withServer { server in
      let device = try await server.register(token: FirstPushTests.token)
      let id = try await server.send(
        #"{"target":{"installation_ids":["\#(device.id)"]},"title":"a","send_at":"\#(Self.time(3_600))"}"#)
      #expect(try await server.message(id)["state"]?.string == "scheduled")
      server.signal(SIGKILL)
      _ = try await server.ending()
      // Two hours pass.
      try await server.query(
        "UPDATE message SET send_at = now() - interval '1 hour', due_at = now() - interval '1 hour'")
      try await server.restart()
      let message = try await server.settled(id)
      #expect(message.ledger("accepted") == 1)
      let late = try await server.texts(
        "SELECT (started_at > send_at + interval '59 minutes' AND expires_at > now())::text FROM message")
      #expect(late == ["true"])
    }
  }

  @Test("Two nodes keep the rate of a throttled message")
  func throttled() async throws {
    try await withServer { server in
      try await server.fill(25)
      let other = try await server.anotherNode("--only", "delivery")
      defer { other.signal(SIGKILL) }
      let id = try await server.send(#"{"target":{"everyone":true},"title":"a","throttle_per_minute":60}"#)
      for portion in [10, 20] {
        try await server.simulator.wait("accepted=\(portion)")
        _ = try await eventually("\(portion) are written") {
          try await server.message(id).ledger("accepted") == Int64(portion) ? true : nil
        }
        #expect(try await server.simulator.count("accepted") == portion)
        // Ten seconds pass.
        try await server.query("UPDATE message SET throttle_next = throttle_next - interval '10 seconds'")
      }
      #expect(try await server.settled(id).ledger("accepted") == 25)
    }
  }
}
