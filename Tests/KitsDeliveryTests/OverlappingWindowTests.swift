import KitsCore
@testable import KitsDelivery
@testable import KitsStore
import Postgres
import TestSupport
import Testing

@Suite("While one window of a chunk is written the next is under way")
struct OverlappingWindowTests {
  @Test("An ack declares behind what is under way, and each window is handed out once")
  func pipelined() async throws {
    try await World.with(installations: 35) { world in
      let (_, open) = try await world.send()
      _ = try await world.plan()
      let claimed = try #require(try await world.node.claimChunk(of: open, window: 20))
      var windows = claimed.split(by: 10)
      #expect(windows.map(\.from) == [0, 10] && windows.map(\.recipients.count) == [10, 10])
      var declared: Int32 = 20
      var seen: [Int32] = []
      while !windows.isEmpty {
        let window = windows.removeFirst()
        seen += window.recipients.map(\.index)
        let answer = try await world.node.ack(.accepted(window, declaredTo: declared, next: 20))
        if case .next(let next) = answer {
          #expect(next.from == declared && next.priorAttemptedTo == declared)
          declared = next.from + Int32(next.recipients.count)
          windows += next.split(by: 10)
        } else {
          #expect(answer == (windows.isEmpty ? .chunkDone : .idle))
        }
      }
      #expect(seen == Array(0..<35))
      #expect(try await world.ledger(open).accepted == 35)
    }
  }

  @Test("A crash leaves both windows as unknown and nothing else")
  func crash() async throws {
    try await World.with(installations: 40) { world in
      let (_, open) = try await world.send()
      _ = try await world.plan()
      let claimed = try #require(try await world.node.claimChunk(of: open, window: 20))
      let first = try #require(claimed.split(by: 10).first)
      guard case .next = try await world.node.ack(.accepted(first, declaredTo: 20, next: 20)) else {
        throw Surprise("no window")
      }
      try await world.expireLeases()
      let other = DeliveryStore(pool: world.pool, owner: 2, leaseSeconds: 60)
      let taken = try #require(try await other.claimChunk(of: open, window: 20))
      #expect(taken.from == 10 && taken.priorAttemptedTo == 30 && taken.recipients.count == 20)
      #expect(taken.split(by: 10).map(\.priorAttemptedTo) == [30, 30])
    }
  }

  @Test("A canceled chunk stays with its owner until the window under way is written too")
  func canceled() async throws {
    try await World.with(installations: 30) { world in
      let (id, open) = try await world.send()
      _ = try await world.plan()
      let windows = try #require(try await world.node.claimChunk(of: open, window: 20)).split(by: 10)
      _ = try await world.messages.cancel(environment: world.app.environment, id: id, deadline: .now + .seconds(20))
      #expect(try await world.node.ack(.accepted(windows[0], declaredTo: 20, next: 20)) == .stopped)
      #expect(try await world.node.sweepChunks(limit: 10) == 0)
      #expect(try await world.node.ack(.accepted(windows[1], declaredTo: 20, next: 20)) == .stopped)
      #expect(try await world.node.sweepChunks(limit: 10) == 1)
      let ledger = try await world.ledger(open)
      #expect(ledger.accepted == 20 && ledger.canceled == 10 && ledger.unknown == 0 && ledger.addsUp)
    }
  }

  @Test("What an ack declared whose answer was lost is handed out by the next one")
  func lostAnswer() async throws {
    try await World.with(installations: 40) { world in
      let (_, open) = try await world.send()
      _ = try await world.plan()
      let windows = try #require(try await world.node.claimChunk(of: open, window: 20)).split(by: 10)
      _ = try await world.node.ack(.accepted(windows[0], declaredTo: 20, next: 20))
      guard case .next(let next) = try await world.node.ack(.accepted(windows[1], declaredTo: 20, next: 20)) else {
        throw Surprise("no window")
      }
      #expect(next.from == 20 && next.priorAttemptedTo == 20 && next.recipients.map(\.index) == Array(20..<40))
    }
  }

  @Test("When the message has ended, what was declared but never handed out counts as canceled, not as unknown")
  func lostAnswerOfCanceled() async throws {
    try await World.with(installations: 40) { world in
      let (id, open) = try await world.send()
      _ = try await world.plan()
      let windows = try #require(try await world.node.claimChunk(of: open, window: 20)).split(by: 10)
      _ = try await world.node.ack(.accepted(windows[0], declaredTo: 20, next: 20))
      _ = try await world.messages.cancel(environment: world.app.environment, id: id, deadline: .now + .seconds(20))
      #expect(try await world.node.ack(.accepted(windows[1], declaredTo: 20, next: 20)) == .stopped)
      #expect(try await world.node.sweepChunks(limit: 10) == 1)
      let ledger = try await world.ledger(open)
      #expect(ledger.accepted == 20 && ledger.canceled == 20 && ledger.unknown == 0 && ledger.addsUp)
    }
  }

  @Test("An installation that had several tokens is one recipient, and only its present token counts")
  func severalTokens() async throws {
    try await World.with(installations: 3) { world in
      let (_, open) = try await world.send()
      _ = try await world.plan()
      try await world.pool.script(
        """
        INSERT INTO token_owner (app_no, token, installation_no, registered_at)
        SELECT app_no, 'former' || installation_no, installation_no, now() FROM installation;
        UPDATE token_owner SET installation_no = installation_no + 1000
        WHERE token = (SELECT push_token FROM installation WHERE installation_no = \(world.members[2].number.value))
        """)
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      #expect(window.recipients.map(\.index) == [0, 1, 2])
      #expect(window.recipients.map { $0.device?.ownsToken } == [true, true, false])
    }
  }

  @Test("What a node may leave unknown is bounded by 500")
  func bound() {
    #expect(DeliveryConfiguration().declaredAtMost <= 500)
  }
}
