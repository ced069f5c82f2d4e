import Foundation
import TestSupport
import Testing

/// One provider token for all nodes, changed as seldom as APNs wants it. Instead of waiting, the time at which the
/// token was issued is moved back in the database; nodes that start anew have no copy of it.
@Suite("The provider token of several nodes", .serialized)
struct ProviderTokenTests {
  @Test("Two nodes share one token for 40 minutes, then the next one; no connection sees two")
  func shared() async throws {
    try await Lab.with(nodes: 2, devices: 600) { lab in
      try await sendFromBoth(lab)
      #expect(try await lab.simulator.count("provider_tokens") == 1)
      #expect(minted([lab]) == 1)

      let second = try await afterRestart(of: lab, minutesLater: 39)
      #expect(try await lab.simulator.count("provider_tokens") == 1)
      #expect(minted([lab, second]) == 1)

      let third = try await afterRestart(of: second, minutesLater: 2)
      #expect(try await lab.simulator.count("provider_tokens") == 2)
      #expect(minted([lab, second, third]) == 2)
      #expect(try await lab.simulator.count("provider_tokens_on_connection") == 1)
      #expect(try await lab.simulator.count(reason: "TooManyProviderTokenUpdates") == 0)
      #expect(try await lab.server.texts("SELECT count(*)::text FROM provider_token") == ["1"])
      #expect(try await Audit(lab).doubled.isEmpty)
    }
  }

  /// The same lab with processes that know nothing, a while later.
  private func afterRestart(of lab: Lab, minutesLater minutes: Int) async throws -> Lab {
    await lab.stop()
    _ = try await lab.server.ending()
    try await lab.server.query("UPDATE provider_token SET issued_at = issued_at - interval '\(minutes) minutes'")
    try await lab.server.restart()
    let next = try await Lab(server: lab.server, nodes: 2, devices: 0)
    try await sendFromBoth(next)
    return next
  }

  /// Both at once, so that both want the token at the same time.
  private func sendFromBoth(_ lab: Lab) async throws {
    async let one = lab.send(on: 0)
    async let two = lab.send(on: 1)
    for id in [try await one, try await two] {
      let message = try await lab.settled(id)
      #expect(message.ledger("accepted") == 600 && message.ledgerAddsUp)
    }
  }

  /// How often a token was made. The first process logs all its runs into one text.
  private func minted(_ labs: [Lab]) -> Int {
    let logs = [labs[0].server.log] + labs.flatMap(\.others).map(\.log)
    return logs.joined().ranges(of: "\"provider_token_minted\"").count
  }
}
