import FoundationEssentials
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsStore

@Suite("Messages with one recipient share claims and acks")
struct SinglesTests {
  private func ack(_ single: ClaimedSingle, _ code: OutcomeCode, retries: [WindowAck.Retry] = []) -> WindowAck {
    WindowAck(
      lease: single.window.lease, from: 0, outcomes: [code.byte], retries: retries, resent: [], nextWindow: 0)
  }

  @Test("A target that fits one chunk is planned by its creation; only those that can be reached are in it (K5)")
  func plannedAtOnce() async throws {
    try await World.with(installations: 3) { world in
      try await world.pool.script(
        "UPDATE installation SET permission = 2 WHERE installation_no = \(world.members[1].number.value)")
      let (id, open) = try await world.send(.installations(world.members.map(\.id)))
      let record = try await world.record(id)
      #expect(record.state == .sending && record.isPlanned && record.times.startedAt != nil)
      #expect(try await world.ledger(open).targeted == 2)
      #expect(try await world.node.claimPlan() == nil)
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      #expect(window.recipients.map(\.number) == [world.members[0].number, world.members[2].number])
      let nobody = try await world.send(.installations([world.members[1].id]))
      let ended = try await world.record(nobody.id)
      #expect(ended.state == .completed && ended.isSettled && ended.times.completedAt != nil)
    }
  }

  @Test("Many are taken at once, oldest first, by one node only; their ack completes them")
  func shared() async throws {
    try await World.with(installations: 2) { world in
      var sent: [MessageID] = []
      for _ in 0..<5 { sent.append(try await world.send(.installations([world.members[0].id])).id) }
      _ = try await world.send(.installations(world.members.map(\.id)))
      #expect(try await world.node.appsWithSingles() == [world.app.number])
      let claimed = try await world.node.claimSingles(of: world.app.number, limit: 4)
      #expect(claimed.count == 4 && claimed.allSatisfy { $0.message.bundleID == "com.example.demo" })
      let other = DeliveryStore(pool: world.pool, owner: 2, leaseSeconds: 60)
      #expect(try await other.claimSingles(of: world.app.number, limit: 10).count == 1)
      let rows = try await world.node.ack(singles: claimed.map { ack($0, .accepted) })
      #expect(rows.count == 4 && rows.allSatisfy(\.isCompleted))
      for id in sent.prefix(4) {
        let record = try await world.record(id)
        #expect(record.state == .completed && record.isSettled)
      }
      #expect(try await world.node.ack(singles: claimed.map { ack($0, .accepted) }).isEmpty)
      #expect(try await world.node.openMessages(limit: 10).count == 1)
    }
  }

  @Test("One that waits for a retry is not completed by its ack")
  func retried() async throws {
    try await World.with(installations: 1) { world in
      let (id, open) = try await world.send(.installations([world.members[0].id]))
      let claimed = try await world.node.claimSingles(of: world.app.number, limit: 4)
      let retry = WindowAck.Retry(index: 0, status: 503, reason: "ServiceUnavailable", delayMilliseconds: 0)
      let rows = try await world.node.ack(singles: [ack(claimed[0], .inRetry, retries: [retry])])
      #expect(rows.count == 1 && !rows[0].isCompleted)
      #expect(try await world.record(id).state == .sending)
      let retries = try await world.node.claimRetries(limit: 10)
      #expect(retries.count == 1)
      try await world.node.record([
        RetryResult(
          address: retries[0].address, epoch: retries[0].epoch, status: 200, reason: "accepted", resent: false,
          next: .final(.accepted))
      ])
      #expect(try await world.node.finish(open))
      #expect(try await world.ledger(open).accepted == 1)
    }
  }

  @Test("The next owner learns that it may have been sent; the first one can't write any more")
  func takenOver() async throws {
    try await World.with(installations: 1) { world in
      let (_, open) = try await world.send(.installations([world.members[0].id]))
      let first = try await world.node.claimSingles(of: world.app.number, limit: 4)
      #expect(first[0].window.priorAttemptedTo == 0)
      try await world.expireLeases()
      let other = DeliveryStore(pool: world.pool, owner: 2, leaseSeconds: 60)
      let second = try await other.claimSingles(of: world.app.number, limit: 4)
      #expect(second[0].window.priorAttemptedTo == 1)
      #expect(try await world.node.ack(singles: [ack(first[0], .accepted)]).isEmpty)
      #expect(try await world.ledger(open).pending == 1)
      #expect(try await other.ack(singles: [ack(second[0], .unknown)]).count == 1)
      #expect(try await world.ledger(open).unknown == 1)
    }
  }

  @Test("What was not handed over goes back as unsent")
  func released() async throws {
    try await World.with(installations: 1) { world in
      _ = try await world.send(.installations([world.members[0].id]))
      let first = try await world.node.claimSingles(of: world.app.number, limit: 4)
      try await world.node.release(singles: first.map(\.window))
      let again = try await world.node.claimSingles(of: world.app.number, limit: 4)
      #expect(again.count == 1 && again[0].window.priorAttemptedTo == 0)
    }
  }

  @Test("A cancel while it is being sent keeps the result and the state", arguments: [OutcomeCode.accepted, .unknown])
  func canceled(outcome: OutcomeCode) async throws {
    try await World.with(installations: 1) { world in
      let (id, open) = try await world.send(.installations([world.members[0].id]))
      let claimed = try await world.node.claimSingles(of: world.app.number, limit: 4)
      _ = try await world.messages.cancel(environment: world.app.environment, id: id, deadline: .now + .seconds(20))
      let rows = try await world.node.ack(singles: [ack(claimed[0], outcome)])
      #expect(rows.count == 1 && !rows[0].isCompleted)
      let record = try await world.record(id)
      #expect(record.state == .canceled && record.isSettled)
      #expect(try await world.ledger(open).addsUp)
    }
  }
}
