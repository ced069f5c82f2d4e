import Foundation
import TestSupport
import Testing

/// Too long for every day: `make soak`.
@Suite("Soak", .enabled(if: ProcessInfo.processInfo.environment["KITS_SOAK"] == "1"))
struct SoakTests {
  static let devices = 200_000
  static let kills = 20

  @Test("20 kills over 200,000 deliveries: nothing is lost, at most 500 come twice per kill, each flagged")
  func crashes() async throws {
    try await Lab.with(nodes: 1, devices: Self.devices) { lab in
      let began = ContinuousClock.now
      let id = try await lab.send()
      for kill in 1...Self.kills {
        let goal = kill * Self.devices / (Self.kills + 1)
        try await lab.simulator.wait("accepted=\(goal)", milliseconds: 600_000)
        lab.server.signal(SIGKILL)
        #expect(try await lab.server.ending().status == -SIGKILL)
        try await lab.server.restart()
      }
      let message = try await lab.settled(id, within: .seconds(1_800))
      let stats = try await lab.simulator.stats()
      let duplicates = stats["duplicate_apns_ids"] as? Int ?? -1
      print("soak: \(Self.kills) kills, \(duplicates) duplicates, \(ContinuousClock.now - began)")
      #expect(message.ledger("accepted") == Int64(Self.devices) && message.ledgerAddsUp)
      #expect(stats["distinct_tokens"] as? Int == Self.devices)
      #expect(stats["distinct_apns_ids"] as? Int == Self.devices)
      #expect((0...(500 * Self.kills)).contains(duplicates))
      // The same collapse id each time: the device shows one.
      #expect(stats["replaced"] as? Int == duplicates)
      let flagged = try await lab.server.texts("SELECT count(*)::text FROM delivery_summary WHERE resent")
      #expect((Int(flagged[0]) ?? 0) > 0 || duplicates == 0)
      // What the simulator still remembers is a half of all: each of those that came twice is flagged.
      let audit = try await Audit(lab)
      #expect(audit.unlike.isEmpty && audit.unflagged.isEmpty)
    }
  }
}
