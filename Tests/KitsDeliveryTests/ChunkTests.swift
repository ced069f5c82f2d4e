import FoundationEssentials
import KitsCore
@testable import KitsStore
import Postgres
import TestSupport
import Testing

@Suite("A chunk belongs to one node at a time, and an ack writes only its own bytes")
struct ChunkTests {
  @Test("Windows are declared one after the other and the last ack ends chunk and message")
  func windows() async throws {
    try await World.with(installations: 25) { world in
      let (id, open) = try await world.send()
      _ = try await world.plan()
      var window = try #require(try await world.node.claimChunk(of: open, window: 10))
      #expect(window.from == 0 && window.priorAttemptedTo == 0 && window.recipients.count == 10)
      #expect(window.recipients.map(\.index) == Array(0..<10))
      #expect(try await world.node.claimChunk(of: open, window: 10) == nil)
      for (from, count) in [(10, 10), (20, 5)] {
        guard case .next(let next) = try await world.node.ack(.accepted(window, next: 10)) else {
          throw Surprise("no next window")
        }
        #expect(next.from == Int32(from) && next.recipients.count == count)
        window = next
      }
      let before = try await world.ledger(open)
      #expect(before.accepted == 20 && before.pending == 5 && before.addsUp)
      #expect(try await world.node.ack(.accepted(window)) == .chunkDone)
      #expect(try await world.node.finish(open))
      #expect(try await world.node.finish(open) == false)
      let record = try await world.record(id)
      #expect(record.state == .completed && record.isSettled)
      #expect(try await world.ledger(open).accepted == 25)
    }
  }

  @Test("An ack that was written although its answer was lost is told from a lost lease")
  func repeatedAck() async throws {
    try await World.with(installations: 25) { world in
      let (_, open) = try await world.send()
      _ = try await world.plan()
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      _ = try await world.node.ack(.accepted(window, next: 10))
      #expect(try await world.node.ack(.accepted(window, next: 10)) == .leaseLost)
      #expect(try await world.node.ackedTo(window.lease) == 10)
      try await world.node.release(window)
      let again = try #require(try await world.node.claimChunk(of: open, window: 10))
      #expect(again.from == 10 && again.priorAttemptedTo == 10)
    }
  }

  @Test("The next owner learns what may have been sent, and the old one can't write any more")
  func takeover() async throws {
    try await World.with(installations: 25) { world in
      let (_, open) = try await world.send()
      _ = try await world.plan()
      let other = DeliveryStore(pool: world.pool, owner: 2, leaseSeconds: 60)
      let first = try #require(try await world.node.claimChunk(of: open, window: 10))
      guard case .next(let second) = try await world.node.ack(.accepted(first, next: 10)) else {
        throw Surprise("no window")
      }
      try await world.expireLeases()
      let taken = try #require(try await other.claimChunk(of: open, window: 15))
      #expect(taken.from == 10 && taken.priorAttemptedTo == 20 && taken.recipients.count == 15)
      #expect(try await world.node.ack(.accepted(second)) == .leaseLost)
      #expect(try await world.node.ackedTo(second.lease) == nil)
      try await world.node.release(second)
      #expect(try await world.ledger(open).accepted == 10)
      #expect(try await other.ack(.accepted(taken)) == .chunkDone)
    }
  }

  @Test(
    "What may have been sent stays known as that when the next owner gives the chunk back unsent", arguments: [1, 25])
  func givenBack(count: Int) async throws {
    try await World.with(installations: count) { world in
      let (_, open) = try await world.send()
      _ = try await world.plan()
      let declared = Int32(min(count, 10))
      _ = try #require(try await world.node.claimChunk(of: open, window: declared))
      for owner in 2...3 {
        try await world.expireLeases()
        let other = DeliveryStore(pool: world.pool, owner: Int64(owner), leaseSeconds: 60)
        if count == 1 {
          let taken = try await other.claimSingles(of: world.app.number, limit: 10).map(\.window)
          #expect(taken.map(\.priorAttemptedTo) == [1])
          try await other.release(singles: taken)
        } else {
          let taken = try #require(try await other.claimChunk(of: open, window: 15))
          #expect(taken.priorAttemptedTo == declared)
          try await other.release(taken)
        }
      }
    }
  }

  @Test("A cancel is seen by the next ack; what was not declared is canceled, what was and is unanswered is unknown")
  func canceled() async throws {
    try await World.with(installations: 30) { world in
      let (id, open) = try await world.send()
      _ = try await world.plan()
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      #expect(
        try await world.messages.cancel(environment: world.app.environment, id: id, deadline: .now + .seconds(20))
          == .sending)
      #expect(try await world.node.sweepChunks(limit: 10) == 0)
      #expect(try await world.node.ack(.accepted(window, next: 10)) == .stopped)
      #expect(try await world.node.sweepChunks(limit: 10) == 1)
      #expect(try await world.node.finish(open))
      let ledger = try await world.ledger(open)
      #expect(ledger.accepted == 10 && ledger.canceled == 20 && ledger.pending == 0 && ledger.addsUp)
      let record = try await world.record(id)
      #expect(record.state == .canceled && record.isSettled)
      #expect(
        try await world.messages.cancel(environment: world.app.environment, id: id, deadline: .now + .seconds(20))
          == .canceled)
    }
  }

  @Test("A canceled chunk whose owner died counts its declared window as unknown")
  func canceledAfterCrash() async throws {
    try await World.with(installations: 30) { world in
      let (id, open) = try await world.send()
      _ = try await world.plan()
      _ = try await world.node.claimChunk(of: open, window: 10)
      _ = try await world.messages.cancel(environment: world.app.environment, id: id, deadline: .now + .seconds(20))
      try await world.expireLeases()
      #expect(try await world.node.sweepChunks(limit: 10) == 1)
      let ledger = try await world.ledger(open)
      #expect(ledger.unknown == 10 && ledger.canceled == 20 && ledger.addsUp)
    }
  }

  @Test("Without a wish for more nothing is declared, and the chunk can be given back")
  func idle() async throws {
    try await World.with(installations: 30) { world in
      let (_, open) = try await world.send()
      _ = try await world.plan()
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      #expect(try await world.node.ack(.accepted(window, next: 0)) == .idle)
      try await world.node.release(window)
      let other = DeliveryStore(pool: world.pool, owner: 2, leaseSeconds: 60)
      let next = try #require(try await other.claimChunk(of: open, window: 10))
      #expect(next.from == 10 && next.priorAttemptedTo == 10)
    }
  }

  @Test("A recipient that was deleted keeps its place in the window")
  func deleted() async throws {
    try await World.with(installations: 3) { world in
      let (_, open) = try await world.send()
      _ = try await world.plan()
      let gone = world.members[1]
      #expect(
        try await world.installations.delete(
          environment: world.app.environment, id: gone.id, deadline: .now + .seconds(20)))
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      #expect(window.recipients.map(\.index) == [0, 1, 2])
      #expect(window.recipients[1].device == nil)
      #expect(DispatchDecision.decide(window.recipients[1]) == .suppress(.deleted))
    }
  }

  @Test("A fenced message is not sent to the next user of the installation")
  func fenced() async throws {
    try await World.with(installations: 3) { world in
      let (_, open) = try await world.send()
      try await world.pool.script("UPDATE message SET fenced = true")
      _ = try await world.plan()
      try await world.pool.script(
        """
        UPDATE installation SET binding_number = binding_number + 1
        WHERE installation_no = \(world.members[2].number.value)
        """)
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      let decisions = window.recipients.map(DispatchDecision.decide)
      #expect(decisions[2] == .suppress(.identityChanged))
      #expect(decisions.filter { $0 == .suppress(.identityChanged) }.count == 1)
    }
  }
}
