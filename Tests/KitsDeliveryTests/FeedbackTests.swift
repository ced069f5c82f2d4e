import FoundationEssentials
import KitsCore
import KitsStore
import Postgres
import TestSupport
import Testing

@Suite("What the push service says of tokens, keys and reasons is kept")
struct FeedbackTests {
  private func feedback(
    _ installation: Installation, _ state: TokenState, at confirmed: Timestamp?
  ) -> TokenFeedback {
    TokenFeedback(
      app: installation.appNumber, installation: installation.number, token: installation.token.text ?? "",
      state: state, confirmedAt: confirmed)
  }

  @Test("410 retires a token unless it was registered again since (T9)")
  func unregistered() async throws {
    try await World.with(installations: 2) { world in
      let (old, renewed) = (world.members[0], world.members[1])
      let registered = try #require(renewed.token.registeredAt)
      let marked = try await world.node.record([
        feedback(old, .unregistered, at: Timestamp(microseconds: registered.microseconds + 1_000_000)),
        feedback(renewed, .unregistered, at: Timestamp(microseconds: registered.microseconds - 1_000_000)),
      ])
      #expect(marked == [old.number])
      let after = try await world.installations.read(
        environment: world.app.environment, id: old.id, deadline: .now + .seconds(20))
      #expect(after?.token.state == .unregistered && after?.isReachable == false)
      #expect(
        try await world.installations.read(
          environment: world.app.environment, id: renewed.id, deadline: .now + .seconds(20))?.isReachable == true)
    }
  }

  @Test("A token that was replaced meanwhile is not touched by feedback about the old one")
  func replaced() async throws {
    try await World.with(installations: 1) { world in
      let member = world.members[0]
      var state = DesiredState()
      state.pushToken = .set(try #require(PushToken(World.token(77), platform: .ios)))
      let update = StateUpdate(
        app: member.appNumber, number: member.number, generation: member.generation, state: state, stateRevision: 2,
        stateHash: [2])
      guard case .applied = try await world.installations.update(update, deadline: .now + .seconds(20)) else {
        throw Surprise("not applied")
      }
      #expect(try await world.node.record([feedback(member, .suspect, at: nil)]).isEmpty)
    }
  }

  @Test(
    "A registered token is active again, whatever was said before (K4)", arguments: [TokenState.suspect, .unregistered])
  func renewed(state: TokenState) async throws {
    try await World.with(installations: 1) { world in
      let member = world.members[0]
      #expect(try await world.node.record([feedback(member, state, at: nil)]).count == 1)
      var desired = DesiredState()
      desired.pushToken = .set(try #require(PushToken(World.token(0), platform: .ios)))
      let update = StateUpdate(
        app: member.appNumber, number: member.number, generation: member.generation, state: desired, stateRevision: 2,
        stateHash: [2])
      guard case .applied(let after) = try await world.installations.update(update, deadline: .now + .seconds(20))
      else { throw Surprise("not applied") }
      #expect(after.token.state == .active && after.isReachable)
    }
  }

  @Test("A new reason gets one code, also when two nodes meet it at once, and the ledger shows it")
  func reasons() async throws {
    try await World.with(installations: 1) { world in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { try await world.node.addReason("BrandNewReason") } }
        try await group.waitForAll()
      }
      let codes = try await world.node.reasons()
      let code = try #require(codes["BrandNewReason"])
      #expect(code.byte > OutcomeCode.firstReason.byte && code.outcomeClass == .failed)
      let (_, open) = try await world.send()
      _ = try await world.plan()
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      let ack = WindowAck(
        lease: window.lease, from: 0, outcomes: [code.byte], retries: [], resent: [], nextWindow: 0)
      #expect(try await world.node.ack(ack) == .chunkDone)
      let outcomes = try await world.messages.outcomes(
        app: open.app, message: open.message, deadline: .now + .seconds(20))
      #expect(outcomes.reasons == [Ledger.ReasonCount(outcomeClass: .failed, reason: "BrandNewReason", count: 1)])
    }
  }

  @Test("A provider token is replaced once it is 40 minutes old, by one node only")
  func providerToken() async throws {
    try await World.with(installations: 0) { world in
      let key = SealedAPNsKey(
        teamID: "TEAM000001", keyID: "KEY0000001", fingerprint: [9], sealedUnder: "a", sealedPrivateKey: [])
      let row = try #require(try await world.node.providerToken(key))
      #expect(row.token == nil)
      func token(_ text: String, minutesOld: Int64) -> StoredProviderToken {
        StoredProviderToken(
          sealedUnder: "a", sealedToken: Array(text.utf8),
          issuedAt: Timestamp(microseconds: row.now.microseconds - minutesOld * 60_000_000))
      }
      #expect(try await world.node.replaceProviderToken(key, with: token("first", minutesOld: 39)))
      #expect(try await world.node.replaceProviderToken(key, with: token("second", minutesOld: 0)) == false)
      try await world.pool.script("UPDATE provider_token SET issued_at = issued_at - interval '2 minutes'")
      #expect(try await world.node.replaceProviderToken(key, with: token("third", minutesOld: 0)))
      #expect(try await world.node.replaceProviderToken(key, with: token("fourth", minutesOld: 0)) == false)
      #expect(try await world.node.providerToken(key)?.token?.sealedToken == Array("third".utf8))
    }
  }
}
