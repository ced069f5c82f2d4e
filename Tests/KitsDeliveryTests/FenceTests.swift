import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsDelivery
@testable import KitsStore

@Suite("A push that was meant for one user is never handed over for the next one")
struct FenceTests {
  private static let user = ExternalID("a").map { [$0] } ?? []

  /// A world whose installations are bound to one user, and a message for that user.
  private func queued(
    _ count: Int, _ body: (World, OpenMessage) async throws -> Void
  ) async throws {
    try await World.with(installations: count) { world in
      for member in world.members { try await world.bind(member, to: "a") }
      let (_, open) = try await world.send(.users(Self.user))
      try await body(world, open)
    }
  }

  private func plan(_ window: ChunkWindow, _ world: World, _ open: OpenMessage) async throws -> WindowPlan {
    WindowPlan(window, of: try #require(try await world.node.dispatchable(open)))
  }

  @Test("In the first window of a chunk", arguments: ["b", nil] as [String?])
  func firstWindow(next: String?) async throws {
    try await queued(3) { world, open in
      try await world.bind(world.members[1], to: next)
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      let plan = try await plan(window, world, open)
      #expect(plan.outcomes == [0, OutcomeCode.identityChanged.byte, 0])
      #expect(plan.sends.map(\.recipient.number) == [world.members[0].number, world.members[2].number])
    }
  }

  @Test("In a later window, of which the ack before reads the rows anew")
  func laterWindow() async throws {
    try await queued(3) { world, open in
      let first = try #require(try await world.node.claimChunk(of: open, window: 1))
      try await world.bind(world.members[1], to: "b")
      guard case .next(let second) = try await world.node.ack(.accepted(first, next: 10)) else {
        throw Surprise("no next window")
      }
      let plan = try await plan(second, world, open)
      #expect(plan.outcomes == [OutcomeCode.identityChanged.byte, 0])
      var outcomes = plan.outcomes
      outcomes[1] = OutcomeCode.accepted.byte
      let ack = WindowAck(
        lease: second.lease, from: second.from, outcomes: outcomes, retries: [], resent: [], nextWindow: 10)
      #expect(try await world.node.ack(ack) == .chunkDone)
      #expect(try await world.node.finish(open))
      let ledger = try await world.ledger(open)
      #expect(ledger.accepted == 2 && ledger.suppressed == 1 && ledger.addsUp)
    }
  }

  @Test("In a chunk that was taken over; a device that may have had it stays unknown")
  func takenOver() async throws {
    try await queued(3) { world, open in
      _ = try #require(try await world.node.claimChunk(of: open, window: 1))
      try await world.bind(world.members[0], to: "b")
      try await world.bind(world.members[1], to: "b")
      try await world.expireLeases()
      let other = DeliveryStore(pool: world.pool, owner: 2, leaseSeconds: 60)
      let window = try #require(try await other.claimChunk(of: open, window: 10))
      let plan = try await plan(window, world, open)
      #expect(plan.sends.map(\.recipient.number) == [world.members[2].number])
      #expect(plan.outcomes[1] == OutcomeCode.identityChanged.byte)
      // Declared before and never answered: the user before may have seen it.
      #expect(plan.outcomes[0] == OutcomeCode.unknown.byte)
    }
  }

  @Test("Of a message with one recipient")
  func single() async throws {
    try await queued(1) { world, open in
      try await world.bind(world.members[0], to: "b")
      let claimed = try await world.node.claimSingles(of: world.app.number, limit: 10)
      let plan = WindowPlan(try #require(claimed.first).window, of: claimed[0].message)
      #expect(plan.sends.isEmpty && plan.outcomes == [OutcomeCode.identityChanged.byte])
      let ack = WindowAck(
        lease: plan.lease, from: 0, outcomes: plan.outcomes, retries: [], resent: [], nextWindow: 0)
      #expect(try await world.node.ack(singles: [ack]).map(\.isCompleted) == [true])
      let ledger = try await world.ledger(open)
      #expect(ledger.suppressed == 1 && ledger.addsUp)
    }
  }

  @Test("Of a retry; one whose attempt nobody finished stays unknown", arguments: [false, true])
  func retry(wasAttempting: Bool) async throws {
    try await queued(1) { world, open in
      let claimed = try await world.node.claimSingles(of: world.app.number, limit: 10)
      let retry = WindowAck.Retry(index: 0, status: 503, reason: "ServiceUnavailable", delayMilliseconds: 0)
      let ack = WindowAck(
        lease: claimed[0].window.lease, from: 0, outcomes: [OutcomeCode.inRetry.byte], retries: [retry], resent: [],
        nextWindow: 0)
      _ = try await world.node.ack(singles: [ack])
      if wasAttempting {
        _ = try await world.node.claimRetries(limit: 10)
        try await world.expireLeases()
      }
      try await world.bind(world.members[0], to: "b")
      let due = try #require(try await world.node.claimRetries(limit: 10).first)
      #expect(due.wasAttempting == wasAttempting)
      #expect(
        RetryDecision.decide(due, onUnknown: .resend, hasKey: true)
          == .end(wasAttempting ? .unknown : .identityChanged))
    }
  }

  @Test("A proof that comes later without another binding changes nothing")
  func proven() async throws {
    try await queued(1) { world, open in
      try await world.pool.script("UPDATE installation SET verified = true")
      let claimed = try await world.node.claimSingles(of: world.app.number, limit: 10)
      #expect(WindowPlan(claimed[0].window, of: claimed[0].message).sends.count == 1)
    }
  }

  @Test("The erasure of the user is another binding")
  func erased() async throws {
    try await queued(1) { world, open in
      let erasure = try await UserStore(pool: world.pool).erase(
        try #require(Self.user.first), in: world.app.environment,
        call: .commandLine(.userErased))
      #expect(erasure?.installations == 1)
      let claimed = try await world.node.claimSingles(of: world.app.number, limit: 10)
      #expect(WindowPlan(claimed[0].window, of: claimed[0].message).outcomes == [OutcomeCode.identityChanged.byte])
    }
  }
}
