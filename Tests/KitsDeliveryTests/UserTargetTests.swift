import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsStore

@Suite("A message for users reaches what is bound to them when it is created")
struct UserTargetTests {
  private func users(_ ids: String...) throws -> MessageTarget {
    .users(try ids.map { try #require(ExternalID($0)) })
  }

  @Test("All installations of a user are reached, each once, under the binding of now; unknown users are counted")
  func small() async throws {
    try await World.with(installations: 4) { world in
      try await world.bind(world.members[0], to: "a")
      try await world.bind(world.members[2], to: "a")
      try await world.bind(world.members[3], to: "b")
      let (id, open) = try await world.send(try users("x", "a", "y", "a", "x"))
      let record = try await world.record(id)
      #expect(record.isPlanned && record.target == MessageRecord.Target(kind: .users, requested: 3))
      #expect(record.unmatched == MessageRecord.Unmatched(count: 2, sample: ["x", "y"]))
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      #expect(window.recipients.map(\.number) == [world.members[0].number, world.members[2].number])
      #expect(window.recipients.map(\.plannedBinding) == [2, 2])
      #expect(try await world.ledger(open).targeted == 2)
    }
  }

  @Test("Ids are compared by their bytes: an é of one scalar and one of two are two users")
  func bytes() async throws {
    try await World.with(installations: 2) { world in
      try await world.bind(world.members[0], to: "caf\u{E9}")
      try await world.bind(world.members[1], to: "cafe\u{301}")
      let (id, open) = try await world.send(try users("caf\u{E9}"))
      let window = try await world.node.claimSingles(of: world.app.number, limit: 10).map(\.window)
      #expect(window.flatMap(\.recipients).map(\.number) == [world.members[0].number])
      #expect(try await world.record(id).target.requested == 1)
      #expect(try await world.ledger(open).targeted == 1)
      let both = try await world.send(try users("caf\u{E9}", "cafe\u{301}", "CAF\u{C9}"))
      let record = try await world.record(both.id)
      #expect(record.target.requested == 3 && record.unmatched.count == 1)
      #expect(try await world.ledger(both.open).targeted == 2)
    }
  }

  @Test("A user of another app is unknown")
  func otherApp() async throws {
    try await World.with(installations: 1) { world in
      try await world.bind(world.members[0], to: "a")
      try await world.pool.script("UPDATE installation SET app_no = app_no + 1")
      let (id, _) = try await world.send(try users("a"))
      #expect(try await world.record(id).unmatched == MessageRecord.Unmatched(count: 1, sample: ["a"]))
      let unmatched = try await world.messages.unmatched(
        try users("a", "a"), app: world.app.number, deadline: .now + .seconds(20))
      #expect(unmatched == MessageRecord.Unmatched(count: 1, sample: ["a"]))
    }
  }

  @Test("Of a target that is planned later, who logged in before planning is suppressed, not silently left out")
  func large() async throws {
    try await World.with(installations: 2) { world in
      try await world.bind(world.members[0], to: "a")
      try await world.bind(world.members[1], to: "a")
      try await world.fill(1_500, user: "a")
      let (id, open) = try await world.send(try users("a"))
      #expect(try await world.record(id).isPlanned == false)
      try await world.bind(world.members[1], to: "b")
      let progress = try #require(try await world.plan(page: 1_000))
      #expect(progress == PlanProgress(isDone: true, planned: 1_502, chunks: 2))
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      #expect(window.recipients.prefix(3).map(\.plannedBinding) == [2, 2, 1])
      #expect(DispatchDecision.decide(window.recipients[1]) == .suppress(.identityChanged))
      #expect(window.recipients.filter { DispatchDecision.decide($0) == .suppress(.identityChanged) }.count == 1)
      #expect(try await world.record(id).target.requested == 1)
    }
  }

  @Test("verified_only leaves bindings out that nobody proved, whatever the target; the rest is fenced")
  func verifiedOnly() async throws {
    try await World.with(installations: 3) { world in
      try await world.bind(world.members[0], to: "a", verified: true)
      try await world.bind(world.members[1], to: "a")
      let targets: [MessageTarget] = [
        try users("a"), .installations(world.members.map(\.id)), .everyone,
      ]
      for target in targets {
        let (id, open) = try await world.send(target, isVerifiedOnly: true)
        _ = try await world.plan()
        let record = try await world.record(id)
        #expect(record.isVerifiedOnly && record.unmatched.count == 0)
        #expect(try await world.ledger(open).targeted == 1)
        let claimed = try await world.node.claimSingles(of: world.app.number, limit: 10)
        let recipients = claimed.flatMap(\.window.recipients)
        #expect(recipients.map(\.number) == [world.members[0].number] && recipients[0].plannedBinding == 2)
      }
      let (_, all) = try await world.send()
      #expect(try await world.plan()?.planned == 3)
      let window = try #require(try await world.node.claimChunk(of: all, window: 10))
      #expect(window.recipients.allSatisfy { $0.plannedBinding == nil })
    }
  }

  @Test("A large target of verified bindings has no others as members")
  func largeVerifiedOnly() async throws {
    try await World.with(installations: 1) { world in
      try await world.bind(world.members[0], to: "a")
      try await world.fill(1_200, user: "a")
      try await world.pool.script(
        "UPDATE installation SET verified = true WHERE installation_no <> \(world.members[0].number.value)")
      _ = try await world.send(try users("a"), isVerifiedOnly: true)
      #expect(try await world.plan()?.planned == 1_200)
    }
  }
}
