import Foundation
import TestSupport
import Testing

@Suite("The push service goes away and comes back", .serialized)
struct ServiceGoneTests {
  static let devices = 1_000

  @Test("What it took is not sent again unless nobody knows, the rest is sent when it is back", arguments: [1, 2])
  func goneAndBack(nodes: Int) async throws {
    let identity = NSTemporaryDirectory() + "apns-identity-\(UUID().uuidString).pem"
    defer { unlink(identity) }
    try await Lab.with(nodes: nodes, devices: Self.devices, simulatorArguments: ["--identity-file", identity]) { lab in
      try await lab.simulator.post("/script", json: #"{"latency_ms":40}"#)
      let ids = [try await lab.send(), try await lab.send(on: nodes - 1)]
      try await lab.simulator.wait("accepted=300")
      // No answers from here on, so that it surely goes away with pushes that it has taken.
      try await lab.simulator.post("/hold")
      try await lab.simulator.wait("held=50")
      let before = try await lab.simulator.get("/notifications?limit=1000000")
      await lab.simulator.stop()
      _ = try await eventually("a node noticed") { lab.log.contains("apns_connect_failed") ? true : nil }
      let back = try await SimulatorProcess(
        arguments: ["--identity-file", identity, "--port", "\(lab.simulator.port)"], keys: [lab.server.simulatorKey])
      var messages = [try await lab.settled(ids[0]), try await lab.settled(ids[1])]
      let audit = try await Audit(
        server: lab.server, reports: [before, try await back.get("/notifications?limit=1000000")])
      for (id, message) in zip(ids, messages) {
        // Taken between the last look and the end, and so known to nobody but the devices.
        #expect(message.ledgerAddsUp && message.ledger("accepted") == Int64(Self.devices), "\(message)")
        #expect(audit.count(of: id) == Self.devices)
      }
      audit.expectHarmlessDuplicates()
      messages.removeAll()
      await back.stop()
    }
  }
}
