import JSON
import TestSupport
import Testing

/// Sends through a fault and holds what came of it against what must hold through every fault.
struct FaultMatrix {
  static let devices = 250
  /// Several messages, so that several nodes have something to take.
  static let messagesPerNode = 2
  /// Messages to one device each, which take a way of their own.
  static let singles = 12

  let lab: Lab

  init() throws {
    lab = try #require(LabTrait.lab)
  }

  func survives(_ fault: Fault) async throws {
    try await prepare(fault)
    var ids: [String] = []
    for (number, installation) in lab.installations.prefix(Self.singles).enumerated() {
      ids.append(try await lab.send(on: number % lab.nodes, to: installation))
    }
    for number in 0..<(Self.messagesPerNode * lab.nodes) { ids.append(try await lab.send(on: number % lab.nodes)) }
    for step in fault.steps {
      try await lab.simulator.wait(step.when)
      if let script = step.script {
        try await lab.simulator.post("/script", json: script)
      } else {
        try await lab.simulator.delete("/script")
      }
    }
    var failed = 0
    var messages: [(id: String, message: JSONObject)] = []
    for id in ids { messages.append((id, try await lab.settled(id))) }
    let audit = try await Audit(lab)
    for (id, message) in messages {
      audit.expectNothingLost(of: id, message)
      failed += Int(message.ledger("failed") ?? 0)
      if fault.failed == 0 { #expect(message.ledger("accepted") == message.ledger("targeted"), "\(message)") }
    }
    audit.expectHarmlessDuplicates()
    #expect(failed == fault.failed)
    if fault.failed == 0 {
      #expect(messages.map { $0.message.ledger("targeted") ?? 0 }.reduce(0, +) == Int64(deliveries))
      try await expectNoneMissing()
    }
    if fault.doubles { #expect(audit.extra > 0, "nothing was sent twice") }
    try await expectItHappened(fault, messages.map(\.message))
  }

  private var deliveries: Int { Self.singles + Self.devices * Self.messagesPerNode * lab.nodes }

  /// A quiet simulator that has forgotten everything, no connection to it, every token good.
  private func prepare(_ fault: Fault) async throws {
    let simulator = lab.simulator
    try await simulator.post("/reset?scripts=true")
    try await simulator.post("/disconnect")
    _ = try await eventually("all connections are closed") {
      let stats = try await simulator.stats()
      return stats["connections_opened"] as? Int == stats["connections_closed"] as? Int ? true : nil
    }
    try await simulator.post("/reset")
    try await lab.server.query("UPDATE installation SET token_state = 1 WHERE token_state <> 1")
    try await simulator.post("/script", json: fault.script)
  }

  private func expectNoneMissing() async throws {
    let tokens = try await lab.server.texts("SELECT push_token FROM installation")
    let list = tokens.map { "\"\($0)\"" }.joined(separator: ",")
    let missing = try await lab.simulator.post("/missing", json: "{\"tokens\":[\(list)]}")
    #expect(tokens.count == Self.devices && missing["count"] as? Int == 0)
  }

  /// A fault that didn't occur proves nothing.
  private func expectItHappened(_ fault: Fault, _ messages: [JSONObject]) async throws {
    if let reason = fault.reason { #expect(try await lab.simulator.count(reason: reason) > 0) }
    #expect(try await lab.simulator.count("connections_opened") >= fault.connections)
    if let reason = fault.failedReason {
      let named = messages.flatMap { $0["reasons"]?.array ?? [] }.compactMap { $0.object?["reason"]?.string }
      #expect(named.contains(reason), "\(named)")
    }
  }
}
