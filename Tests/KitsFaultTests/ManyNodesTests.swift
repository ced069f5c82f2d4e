import Foundation
import JSON
import TestSupport
import Testing

/// Nodes that die, freeze, lose their database or get in each other's way.
@Suite("Two nodes on one database", .serialized)
struct ManyNodesTests {
  static let devices = 3_000

  /// Sends from the first node and returns when APNs has some and holds back its answers to others.
  private func begin(_ lab: Lab) async throws -> String {
    try await lab.simulator.post("/hold?after=500")
    let id = try await lab.send()
    try await lab.simulator.wait("held=100")
    return id
  }

  /// Begins on one node; the other joins when the first surely has pushes under way.
  private func beginAlone(_ alone: Lab) async throws -> (id: String, lab: Lab) {
    let id = try await begin(alone)
    return (id, try await Lab(server: alone.server, nodes: 2, devices: 0))
  }

  @Test("One is killed in the middle: the other finishes, at most 500 come twice, each flagged")
  func kill() async throws {
    try await Lab.with(nodes: 1, devices: Self.devices) { alone in
      let (id, lab) = try await beginAlone(alone)
      lab.server.signal(SIGKILL)
      #expect(try await lab.server.ending().status == -SIGKILL)
      try await lab.simulator.post("/release")
      let message = try await lab.settled(id, on: 1)
      #expect(message.ledger("accepted") == Int64(Self.devices))
      let audit = try await Audit(lab)
      audit.expectNothingLost(of: id, message)
      audit.expectHarmlessDuplicates(atMost: 500)
      #expect(audit.extra > 0)
    }
  }

  @Test("One is frozen for longer than its lease: it sends nothing of it when it wakes up, and works on afterwards")
  func frozen() async throws {
    try await Lab.with(nodes: 1, devices: Self.devices) { alone in
      let (id, lab) = try await beginAlone(alone)
      lab.server.signal(SIGSTOP)
      try await lab.simulator.post("/release")
      let message = try await lab.settled(id, on: 1)
      let received = try await lab.simulator.count("received")
      lab.server.signal(SIGCONT)
      _ = try await eventually("it lost its leases") { lab.server.log.contains("\"lease_lost\"") ? true : nil }
      #expect(try await lab.simulator.count("received") == received)
      let audit = try await Audit(lab)
      audit.expectNothingLost(of: id, message)
      audit.expectHarmlessDuplicates()
      let next = try await lab.send()
      let second = try await lab.settled(next)
      #expect(second.ledger("accepted") == Int64(Self.devices))
      try await Audit(lab).expectNothingLost(of: next, second)
    }
  }

  @Test(
    "PostgreSQL restarts in the middle: results are kept until they can be written, so nothing is lost",
    arguments: [TestCluster.StopMode.fast, .immediate])
  func databaseRestart(_ mode: TestCluster.StopMode) async throws {
    let cluster = try TestCluster()
    let server = try await RunningServer(databaseURL: cluster.url, settings: Lab.settings)
    defer { server.signal(SIGKILL) }
    let lab = try await Lab(server: server, nodes: 2, devices: Self.devices)
    try await lab.simulator.post(
      "/script",
      json: #"{"latency_ms":60,"rules":[{"share":0.1,"times":150,"status":503,"reason":"ServiceUnavailable"}]}"#)
    let id = try await lab.send()
    try await lab.simulator.wait("accepted=900")
    try cluster.stop(mode)
    try cluster.start()
    for node in 0..<2 {
      _ = try await eventually("node \(node) is ready") {
        try await lab.call("GET", "/v1/messages/\(id)", node: node).status == 200 ? true : nil
      }
    }
    let message = try await lab.settled(id)
    #expect(message.ledger("accepted") == Int64(Self.devices))
    let audit = try await Audit(lab)
    audit.expectNothingLost(of: id, message)
    audit.expectHarmlessDuplicates(atMost: 0)
    await lab.stop()
    try cluster.remove()
  }

  @Test(
    "The clock of one is set an hour on or back in the middle: nothing is lost, doubled or sent with another token",
    arguments: [3_600, -3_600])
  func clockStep(_ seconds: Int) async throws {
    let clock = try NodeClock()
    defer { clock.remove() }
    try await withServer(settings: Lab.settings) { server in
      let lab = try await Lab(server: server, nodes: 2, devices: Self.devices, changes: clock.settings)
      let id = try await begin(lab)
      try clock.step(to: seconds)
      try await lab.simulator.post("/release")
      let message = try await lab.settled(id, on: 1)
      #expect(message.ledger("accepted") == Int64(Self.devices))
      let next = try await lab.send(on: 1)
      let second = try await lab.settled(next, on: 1)
      #expect(second.ledger("accepted") == Int64(Self.devices))
      let audit = try await Audit(lab)
      audit.expectNothingLost(of: id, message)
      audit.expectNothingLost(of: next, second)
      #expect(audit.doubled.isEmpty && audit.flagged.isEmpty)
      #expect(try await lab.simulator.count("provider_tokens") == 1)
      // Its log shows that the clock was set.
      let hours = lab.others[0].log.matches(of: #/"ts":"(\d{4}-\d\d-\d\dT\d\d)/#).map(\.output.1)
      #expect(Set(hours).count > 1)
    }
  }

  @Test("Both plan and send different messages at once: everyone gets each of them once")
  func together() async throws {
    try await Lab.with(nodes: 2, devices: 500) { lab in
      var ids: [String] = []
      for number in 0..<6 { ids.append(try await lab.send(on: number % 2)) }
      for id in ids {
        let message = try await lab.settled(id, on: 1)
        #expect(message.ledger("accepted") == 500 && message.ledgerAddsUp)
      }
      let audit = try await Audit(lab)
      #expect(ids.allSatisfy { audit.count(of: $0) == 500 })
      #expect(audit.doubled.isEmpty && audit.flagged.isEmpty)
    }
  }

  @Test("A cancel on one node stops the other: what was accepted stays, the rest is canceled, nothing is doubled")
  func cancel() async throws {
    try await Lab.with(nodes: 2, devices: Self.devices) { lab in
      let id = try await begin(lab)
      let canceled = try await lab.call("POST", "/v1/messages/\(id)/cancel", node: 1)
      #expect(canceled.status == 200 && canceled.object["state"]?.string == "canceled")
      try await lab.simulator.post("/release")
      let message = try await lab.settled(id)
      let audit = try await Audit(lab)
      audit.expectNothingLost(of: id, message)
      #expect(audit.doubled.isEmpty)
      let left = try #require(message.ledger("canceled"))
      #expect(left > 0 && left + Int64(audit.count(of: id)) == Int64(Self.devices))
    }
  }
}
