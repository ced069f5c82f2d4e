import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsDelivery
@testable import KitsStore

@Suite("A throttled message keeps its rate over all nodes")
struct ThrottleTests {
  static func send(
    _ world: World, _ target: MessageTarget = .everyone, perMinute rate: Int32
  ) async throws -> (id: MessageID, open: OpenMessage) {
    let message = world.message(target, throttle: rate)
    _ = try await world.messages.create(message, deadline: .now + .seconds(20))
    _ = try await world.plan()
    return (message.id, try await world.open(message.id))
  }

  /// Lets time pass for the throttle.
  static func pass(_ seconds: Int, in world: World) async throws {
    try await world.pool.script("UPDATE message SET throttle_next = throttle_next - interval '\(seconds) seconds'")
  }

  @Test(
    "A portion is a sixth of a minute's rate at most, and at least one",
    arguments: [(60, 10), (61, 10), (5, 1), (1, 1)])
  func portions(rate: Int32, size: Int) async throws {
    try await World.with(installations: 12) { world in
      _ = try await Self.send(world, perMinute: rate)
      let sizes = try await world.pool.texts("SELECT n::text FROM message_chunk ORDER BY chunk_no")
      #expect(sizes.dropLast().allSatisfy { $0 == "\(size)" } && Int(sizes.last ?? "") ?? 0 <= size)
      #expect(sizes.compactMap { Int($0) }.reduce(0, +) == 12)
    }
  }

  @Test("A small list obeys too: what doesn't fit one portion is planned in several")
  func smallLists() async throws {
    try await World.with(installations: 5) { world in
      let (id, _) = try await Self.send(world, .installations(world.members.map(\.id)), perMinute: 12)
      #expect(try await world.pool.texts("SELECT n::text FROM message_chunk ORDER BY chunk_no") == ["2", "2", "1"])
      #expect(try await world.record(id).timing.throttlePerMinute == 12)
      let one = try await Self.send(world, .installations([world.members[0].id]), perMinute: 1)
      #expect(try await world.record(one.id).isPlanned)
    }
  }

  @Test("In any minute two nodes that ask all the time get no more than the rate and one portion")
  func rate() async throws {
    try await World.with(installations: 200) { world in
      let (_, open) = try await Self.send(world, perMinute: 60)
      let nodes = [world.node, world.another(owner: 2)]
      var handedOut: [Int] = []
      // Each step is a second; every third second nobody asks, so that there is something to make up for.
      for second in 0..<150 {
        var count = 0
        if second % 3 != 0 {
          async let first = nodes[0].claimChunk(of: open, window: 100)
          async let second = nodes[1].claimChunk(of: open, window: 100)
          async let third = nodes[1].claimChunk(of: open, window: 100)
          for claimed in try await [first, second, third] { count += claimed?.recipients.count ?? 0 }
        }
        handedOut.append(count)
        try await Self.pass(1, in: world)
      }
      let most = (0..<90).map { handedOut[$0..<($0 + 60)].reduce(0, +) }.max()
      #expect(most ?? 0 <= 70 && most ?? 0 >= 50)
      #expect(handedOut.reduce(0, +) >= 140)
    }
  }

  @Test("After a long silence no more than one portion is made up for")
  func catchUp() async throws {
    try await World.with(installations: 60) { world in
      let (_, open) = try await Self.send(world, perMinute: 60)
      #expect(try await world.node.claimChunk(of: open, window: 100) != nil)
      #expect(try await world.node.claimChunk(of: open, window: 100) == nil)
      #expect(try await world.node.openMessages(limit: 10).isEmpty)
      try await Self.pass(600, in: world)
      #expect(try await world.node.openMessages(limit: 10) == [open])
      #expect(try await world.node.claimChunk(of: open, window: 100) != nil)
      #expect(try await world.node.claimChunk(of: open, window: 100) != nil)
      #expect(try await world.node.claimChunk(of: open, window: 100) == nil)
    }
  }

  @Test("Retries don't count, and a chunk that is taken over counts only for what was never handed out")
  func takeover() async throws {
    try await World.with(installations: 20) { world in
      let (_, open) = try await Self.send(world, perMinute: 60)
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      let ack = WindowAck(
        lease: window.lease, from: 0, outcomes: Array(repeating: OutcomeCode.inRetry.byte, count: 5),
        retries: (0..<5).map { WindowAck.Retry(index: $0, status: 503, reason: "x", delayMilliseconds: 0) }, resent: [],
        declaredTo: 10, nextWindow: 0)
      _ = try await world.node.ack(ack)
      #expect(try await world.node.claimRetries(limit: 10).count == 5)
      try await world.expireLeases()
      try await Self.pass(10, in: world)
      // All of it was declared: taking it over costs nothing, so the next portion comes at once.
      #expect(try await world.another(owner: 2).claimChunk(of: open, window: 10)?.recipients.count == 5)
      #expect(try await world.node.claimChunk(of: open, window: 10)?.recipients.count == 10)
      #expect(try await world.node.claimChunk(of: open, window: 10) == nil)
    }
  }
}
