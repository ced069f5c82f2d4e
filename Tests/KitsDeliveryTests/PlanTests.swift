import KitsCore
@testable import KitsStore
import Postgres
import TestSupport
import Testing

@Suite("Planning turns a target into chunks")
struct PlanTests {
  @Test("Everyone is planned page by page, in order, each once, and the message starts with the first chunk")
  func everyone() async throws {
    try await World.with(installations: 25) { world in
      let (id, open) = try await world.send()
      let claim = try #require(try await world.node.claimPlan())
      let first = try #require(try await world.node.planPage(claim, scanWindow: 50_000, pageLimit: 10))
      #expect(first == PlanProgress(isDone: false, planned: 10, chunks: 1))
      #expect(try await world.record(id).state == .sending)
      let second = try #require(try await world.node.planPage(claim, scanWindow: 50_000, pageLimit: 10))
      #expect(second == PlanProgress(isDone: false, planned: 20, chunks: 2))
      let third = try #require(try await world.node.planPage(claim, scanWindow: 50_000, pageLimit: 10))
      #expect(third == PlanProgress(isDone: true, planned: 25, chunks: 3))
      var seen: [InstallationNumber] = []
      while let window = try await world.node.claimChunk(of: open, window: 100) {
        seen += window.recipients.map(\.number)
      }
      #expect(seen == world.members.map(\.number))
    }
  }

  @Test("A sparse audience is walked in windows of installation numbers until its end")
  func windows() async throws {
    try await World.with(installations: 5) { world in
      _ = try await world.send()
      let claim = try #require(try await world.node.claimPlan())
      var pages = 0
      while let page = try await world.node.planPage(claim, scanWindow: 2, pageLimit: 10) {
        pages += 1
        if page.isDone {
          #expect(page.planned == 5)
          break
        }
      }
      #expect(pages >= 3)
    }
  }

  @Test(
    "Whoever can't be reached is no recipient (K5)",
    arguments: [
      "push_token = NULL, token_state = 0", "token_state = 2", "token_state = 3", "permission = 2", "permission = 1",
      "push_preference = false", "platform = 2",
    ])
  func unreachable(change: String) async throws {
    try await World.with(installations: 2) { world in
      try await world.pool.script(
        "UPDATE installation SET \(change) WHERE installation_no = \(world.members[0].number.value)")
      let (id, open) = try await world.send()
      let progress = try #require(try await world.plan())
      #expect(progress == PlanProgress(isDone: true, planned: 1, chunks: 1))
      let named = try await world.send(.installations(world.members.map(\.id)))
      #expect(try await world.record(id).unmatched.count == 0)
      #expect(try await world.ledger(open).targeted == 1)
      #expect(try await world.ledger(named.open).targeted == 1)
    }
  }

  @Test("A token that moved to another installation is planned once, for its new owner")
  func movedToken() async throws {
    try await World.with(installations: 1) { world in
      let heir = try await World.register(world.installations, token: World.token(0))
      _ = try await world.send()
      #expect(try await world.plan()?.planned == 1)
      let (_, open) = try await world.send(.installations([world.members[0].id, heir.id]))
      #expect(try await world.ledger(open).targeted == 1)
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      #expect(window.recipients.map(\.number) == [heir.number])
    }
  }

  @Test("A message that matches nobody completes at once, with nothing targeted")
  func nobody() async throws {
    try await World.with(installations: 0) { world in
      let (id, _) = try await world.send()
      #expect(try await world.plan() == PlanProgress(isDone: true, planned: 0, chunks: 0))
      let record = try await world.record(id)
      #expect(record.state == .completed && record.isSettled && record.times.completedAt != nil)
    }
  }

  @Test("A cancel between two pages can't be undone by the next one")
  func canceled() async throws {
    try await World.with(installations: 20) { world in
      let (id, open) = try await world.send()
      let claim = try #require(try await world.node.claimPlan())
      _ = try await world.node.planPage(claim, scanWindow: 50_000, pageLimit: 10)
      #expect(
        try await world.messages.cancel(environment: world.app.environment, id: id, deadline: .now + .seconds(20))
          == .sending)
      #expect(try await world.node.planPage(claim, scanWindow: 50_000, pageLimit: 10) == nil)
      #expect(try await world.node.claimPlan() == nil)
      #expect(try await world.ledger(open).targeted == 10)
    }
  }

  @Test("A plan that another node took over refuses the pages of the first")
  func takenOver() async throws {
    try await World.with(installations: 20) { world in
      _ = try await world.send()
      let other = DeliveryStore(pool: world.pool, owner: 2, leaseSeconds: 60)
      let first = try #require(try await world.node.claimPlan())
      #expect(try await other.claimPlan() == nil)
      _ = try await world.node.planPage(first, scanWindow: 50_000, pageLimit: 10)
      try await world.expireLeases()
      let second = try #require(try await other.claimPlan())
      #expect(try await world.node.planPage(first, scanWindow: 50_000, pageLimit: 10) == nil)
      #expect(try await other.planPage(second, scanWindow: 50_000, pageLimit: 100)?.planned == 20)
    }
  }

  @Test("Planning ends for a message that has expired, and what was planned expires with it")
  func expired() async throws {
    try await World.with(installations: 20) { world in
      let (id, open) = try await world.send()
      let claim = try #require(try await world.node.claimPlan())
      _ = try await world.node.planPage(claim, scanWindow: 50_000, pageLimit: 10)
      try await world.pool.script("UPDATE message SET expires_at = now() - interval '1 second'")
      try await world.expireLeases()
      try await world.node.endOverduePlansAndRetries()
      #expect(try await world.node.claimChunk(of: open, window: 10) == nil)
      #expect(try await world.node.sweepChunks(limit: 100) == 1)
      #expect(try await world.node.finish(open))
      let ledger = try await world.ledger(open)
      #expect(ledger.addsUp && ledger.expired == 10 && ledger.targeted == 10)
      #expect(try await world.record(id).state == .completed)
    }
  }
}
