import FoundationEssentials
import KitsCore
import KitsStore
import Postgres
import TestSupport
import Testing

@Suite("Retries are rows of their own, each attempt committed before it is sent")
struct RetryTests {
  /// A message whose second member waits for a retry that is due.
  private func inRetry(_ world: World) async throws -> (id: MessageID, open: OpenMessage) {
    let (id, open) = try await world.send()
    _ = try await world.plan()
    let window = try #require(try await world.node.claimChunk(of: open, window: 10))
    let ack = WindowAck(
      lease: window.lease, from: 0,
      outcomes: [OutcomeCode.accepted.byte, OutcomeCode.inRetry.byte, OutcomeCode.accepted.byte],
      retries: [WindowAck.Retry(index: 1, status: 503, reason: "ServiceUnavailable", delayMilliseconds: 0)],
      resent: [], nextWindow: 10)
    #expect(try await world.node.ack(ack) == .chunkDone)
    #expect(try await world.node.finish(open) == false)
    return (id, open)
  }

  private func result(_ retry: ClaimedRetry, _ next: RetryResult.Next) -> RetryResult {
    RetryResult(
      address: retry.address, epoch: retry.epoch, status: 200, reason: "accepted", resent: false, next: next)
  }

  @Test("A retry that succeeds patches its byte, ends the message and leaves a summary")
  func succeeds() async throws {
    try await World.with(installations: 3) { world in
      let (id, open) = try await inRetry(world)
      #expect(try await world.ledger(open).pending == 1)
      let retries = try await world.node.claimRetries(limit: 10)
      #expect(retries.count == 1)
      #expect(retries[0].attempts == 2 && !retries[0].wasAttempting && retries[0].lastReason == "ServiceUnavailable")
      #expect(retries[0].recipient.number == world.members[1].number)
      #expect(try await world.node.claimRetries(limit: 10).isEmpty)
      try await world.node.record([result(retries[0], .final(.accepted))])
      #expect(try await world.node.finish(open))
      #expect(try await world.ledger(open).accepted == 3)
      #expect(try await world.record(id).state == .completed)
      let summary = try await world.pool.texts("SELECT attempts || ' ' || last_reason FROM delivery_summary")
      #expect(summary == ["2 accepted"])
    }
  }

  @Test("A postponed retry is not due before its time")
  func postponed() async throws {
    try await World.with(installations: 3) { world in
      _ = try await inRetry(world)
      let retries = try await world.node.claimRetries(limit: 10)
      try await world.node.record([result(retries[0], .again(delayMilliseconds: 60_000))])
      #expect(try await world.node.claimRetries(limit: 10).isEmpty)
      try await world.pool.script("UPDATE delivery_retry SET not_before = now()")
      let again = try await world.node.claimRetries(limit: 10)
      #expect(again.count == 1 && again[0].attempts == 3 && !again[0].wasAttempting)
    }
  }

  @Test("An attempt that nobody finished is known as such, and its first owner can't write any more")
  func takenOver() async throws {
    try await World.with(installations: 3) { world in
      let (_, open) = try await inRetry(world)
      let first = try await world.node.claimRetries(limit: 10)
      try await world.expireLeases()
      let other = DeliveryStore(pool: world.pool, owner: 2, leaseSeconds: 60)
      let second = try await other.claimRetries(limit: 10)
      #expect(second.count == 1 && second[0].wasAttempting)
      try await world.node.record([result(first[0], .final(.accepted))])
      #expect(try await world.ledger(open).pending == 1)
      try await other.record([result(second[0], .final(.unknown))])
      #expect(try await world.ledger(open).unknown == 1)
    }
  }

  @Test("What was once sent again after an unknown result stays known as that, whatever its later attempts answer")
  func staysUnknown() async throws {
    try await World.with(installations: 3) { world in
      let (_, open) = try await inRetry(world)
      _ = try await world.node.claimRetries(limit: 10)
      try await world.expireLeases()
      let second = try await world.node.claimRetries(limit: 10)
      #expect(second[0].wasAttempting && !second[0].wasResent)
      try await world.node.record([
        RetryResult(
          address: second[0].address, epoch: second[0].epoch, status: 503, reason: "ServiceUnavailable", resent: true,
          next: .again(delayMilliseconds: 0))
      ])
      let third = try await world.node.claimRetries(limit: 10)
      #expect(third.count == 1 && !third[0].wasAttempting && third[0].wasResent)
      #expect(third[0].lastReason == "ServiceUnavailable")
      // Written as a later attempt without the mark: the mark stays.
      try await world.node.record([result(third[0], .final(.accepted))])
      #expect(try await world.pool.texts("SELECT resent::text FROM delivery_summary") == ["true"])
      #expect(try await world.ledger(open).accepted == 3)
    }
  }

  @Test("A cancel makes waiting retries due, so that they end", arguments: [true, false])
  func ended(canceled: Bool) async throws {
    try await World.with(installations: 3) { world in
      let (id, _) = try await inRetry(world)
      try await world.pool.script("UPDATE delivery_retry SET not_before = now() + interval '1 hour'")
      if canceled {
        _ = try await world.messages.cancel(environment: world.app.environment, id: id, deadline: .now + .seconds(20))
      } else {
        try await world.pool.script("UPDATE message SET expires_at = now() - interval '1 second'")
      }
      try await world.node.endOverduePlansAndRetries()
      let retries = try await world.node.claimRetries(limit: 10)
      #expect(retries.count == 1)
      #expect(retries[0].messageState == (canceled ? .canceled : .sending))
      #expect(retries[0].isExpired == !canceled)
    }
  }
}
