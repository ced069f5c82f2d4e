import FoundationEssentials
import KitsCore
import KitsStore
import Postgres
import TestSupport
import Testing

@Suite("A paused app hands over nothing and loses nothing")
struct CircuitTests {
  private func place(_ world: World, _ environment: APNsEnvironment = .production) -> CircuitPlace {
    CircuitPlace(app: world.app.number, environment: environment)
  }

  private func suspect(_ installation: Installation) -> CircuitSuspect {
    CircuitSuspect(installation: installation.number, token: installation.token.text ?? "")
  }

  /// Makes every second installation one of the sandbox.
  private func mix(_ world: World) async throws {
    try await world.pool.script("UPDATE installation SET apns_environment = 2 WHERE installation_no % 2 = 0")
  }

  @Test("While the circuit is open no chunk is listed or claimed; the message is paused and says why")
  func claims() async throws {
    try await World.with(installations: 3) { world in
      let (id, open) = try await world.send()
      _ = try await world.plan()
      let circuits = world.node.circuits
      #expect(
        try await circuits.open(
          place(world), expecting: 0, .credential, detail: "InvalidProviderToken", suspects: []))
      #expect(try await world.node.openMessages(limit: 10).isEmpty)
      #expect(try await world.node.claimChunk(of: open, window: 10) == nil)
      let pause = try #require(try await world.record(id).pause)
      #expect(pause.environment == .production && pause.reason == .credential)
      #expect(pause.detail == "InvalidProviderToken")
      #expect(try await world.ledger(open).pending == 3)
      let resumed = try #require(
        try await circuits.resume(
          world.app.id, of: world.app.environment, APNsEnvironment.allCases, keepSuspects: false,
          by: .commandLine(.appResumed)))
      #expect(resumed.resumed.circuits == 1 && resumed.pauses.isEmpty)
      #expect(try await world.record(id).pause == nil)
      #expect(try await world.node.openMessages(limit: 10) == [open])
      #expect(try await world.node.claimChunk(of: open, window: 10)?.recipients.count == 3)
    }
  }

  @Test("A pause of one APNs environment lets the chunks of the other go on")
  func environments() async throws {
    try await World.with(installations: 4) { world in
      try await mix(world)
      let (id, open) = try await world.send()
      #expect(try await world.plan()?.chunks == 2)
      _ = try await world.node.circuits.pause(
        world.app.id, of: nil, [.sandbox], detail: "test", by: .commandLine(.appPaused))
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      #expect(window.recipients.compactMap(\.device?.apnsEnvironment) == [.production, .production])
      #expect(try await world.node.ack(.accepted(window)) == .chunkDone)
      #expect(try await world.node.claimChunk(of: open, window: 10) == nil)
      #expect(try await world.node.finish(open) == false)
      let record = try await world.record(id)
      #expect(record.pause?.environment == .sandbox && record.pause?.reason == .byOperator)
    }
  }

  @Test("Single deliveries of a paused environment aren't taken, and those of a named list are in a chunk of their own")
  func singles() async throws {
    try await World.with(installations: 4) { world in
      try await mix(world)
      let (_, several) = try await world.send(.installations(world.members.map(\.id)))
      for member in world.members { _ = try await world.send(.installations([member.id])) }
      _ = try await world.node.circuits.pause(
        world.app.id, of: nil, [.sandbox], detail: nil, by: .commandLine(.appPaused))
      let claimed = try await world.node.claimSingles(of: world.app.number, limit: 10)
      #expect(claimed.count == 2)
      #expect(claimed.allSatisfy { $0.window.recipients.first?.device?.apnsEnvironment == .production })
      let refused = WindowAck.Retry(
        index: 0, environment: .sandbox, status: 403, reason: "x", delayMilliseconds: 0)
      let acks = claimed.map { single in
        WindowAck(
          lease: single.window.lease, from: 0, outcomes: [OutcomeCode.inRetry.byte], retries: [refused], resent: [],
          nextWindow: 0)
      }
      #expect(try await world.node.ack(singles: acks).count == 2)
      #expect(try await world.node.claimRetries(limit: 10).isEmpty)
      let window = try #require(try await world.node.claimChunk(of: several, window: 10))
      #expect(window.recipients.count == 2)
      #expect(try await world.node.claimChunk(of: several, window: 10) == nil)
      _ = try await world.node.circuits.resume(
        world.app.id, of: nil, [.sandbox], keepSuspects: false, by: .commandLine(.appResumed))
      #expect(try await world.node.claimSingles(of: world.app.number, limit: 10).count == 2)
      #expect(try await world.node.claimRetries(limit: 10).count == 2)
      #expect(try await world.node.claimChunk(of: several, window: 10)?.recipients.count == 2)
    }
  }

  @Test("A pause in the middle of a chunk: what was sent is written, nothing more is declared, the chunk goes back")
  func middle() async throws {
    try await World.with(installations: 5) { world in
      let (_, open) = try await world.send()
      _ = try await world.plan()
      let window = try #require(try await world.node.claimChunk(of: open, window: 2))
      _ = try await world.node.circuits.pause(
        world.app.id, of: nil, [.production], detail: nil, by: .commandLine(.appPaused))
      #expect(try await world.node.ack(.accepted(window, next: 2)) == .stopped)
      #expect(try await world.node.claimChunk(of: open, window: 2) == nil)
      _ = try await world.node.circuits.resume(
        world.app.id, of: nil, [.production], keepSuspects: false, by: .commandLine(.appResumed))
      let next = try #require(try await world.node.claimChunk(of: open, window: 2))
      #expect(next.from == 2 && next.priorAttemptedTo == 2)
    }
  }

  @Test("A member that moved into the paused environment after planning is told apart")
  func strays() async throws {
    try await World.with(installations: 2) { world in
      let (_, open) = try await world.send()
      _ = try await world.plan()
      _ = try await world.node.circuits.pause(
        world.app.id, of: nil, [.sandbox], detail: nil, by: .commandLine(.appPaused))
      try await mix(world)
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      let decisions = window.recipients.map { DispatchDecision.decide($0) == .hold(.sandbox) }
      #expect(decisions.count { $0 } == 1)
    }
  }

  @Test("Retries of a paused app aren't taken; resuming makes those due that the credential refused")
  func retries() async throws {
    try await World.with(installations: 3) { world in
      let (id, open) = try await world.send()
      _ = try await world.plan()
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      func retry(_ index: Int32, _ status: Int32, _ delay: Int64) -> WindowAck.Retry {
        WindowAck.Retry(index: index, status: status, reason: "reason", delayMilliseconds: delay)
      }
      let ack = WindowAck(
        lease: window.lease, from: 0, outcomes: Array(repeating: OutcomeCode.inRetry.byte, count: 3),
        retries: [retry(0, 403, 60_000), retry(1, 0, RetryPolicy.parkedMilliseconds), retry(2, 503, 60_000)],
        resent: [], nextWindow: 10)
      _ = try await world.node.circuits.pause(
        world.app.id, of: nil, [.production], detail: nil, by: .commandLine(.appPaused))
      #expect(try await world.node.ack(ack) == .chunkDone)
      try await world.pool.script("UPDATE delivery_retry SET not_before = now() WHERE idx = 0")
      #expect(try await world.node.claimRetries(limit: 10).isEmpty)
      #expect(try await world.record(id).pause != nil)
      try await world.pool.script(
        "UPDATE delivery_retry SET not_before = now() + interval '1 minute' WHERE idx = 0")
      let answer = try await world.node.circuits.resume(
        world.app.id, of: nil, [.production], keepSuspects: false, by: .commandLine(.appResumed))
      #expect(answer?.resumed.retries == 2)
      let due = try await world.node.claimRetries(limit: 10)
      #expect(due.map(\.address.index).sorted() == [0, 1])
    }
  }

  @Test("A canceled message ends although its app is paused; what was parked by mistake comes back by itself")
  func endings() async throws {
    try await World.with(installations: 1) { world in
      let (id, open) = try await world.send()
      _ = try await world.plan()
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      let parked = WindowAck.Retry(
        index: 0, status: 400, reason: "BadDeviceToken", delayMilliseconds: RetryPolicy.parkedMilliseconds)
      let ack = WindowAck(
        lease: window.lease, from: 0, outcomes: [OutcomeCode.inRetry.byte], retries: [parked], resent: [],
        nextWindow: 0)
      #expect(try await world.node.ack(ack) == .chunkDone)
      try await world.node.endOverduePlansAndRetries()
      let back = try await world.node.claimRetries(limit: 10)
      #expect(back.count == 1)
      let again = RetryResult(
        address: back[0].address, epoch: back[0].epoch, status: 400, reason: "BadDeviceToken", resent: false,
        next: .again(delayMilliseconds: RetryPolicy.parkedMilliseconds), environment: .sandbox)
      try await world.node.record([again])
      _ = try await world.node.circuits.pause(
        world.app.id, of: nil, [.sandbox], detail: nil, by: .commandLine(.appPaused))
      try await world.node.endOverduePlansAndRetries()
      #expect(try await world.node.claimRetries(limit: 10).isEmpty)
      _ = try await world.messages.cancel(environment: world.app.environment, id: id, deadline: .now + .seconds(20))
      try await world.node.endOverduePlansAndRetries()
      let ended = try await world.node.claimRetries(limit: 10)
      #expect(ended.count == 1 && ended[0].messageState == .canceled)
      #expect(try await world.record(id).pause == nil)
      #expect(try await world.ledger(open).addsUp)
    }
  }

  @Test("Only tokens that a message was accepted for since they were registered are proven")
  func proven() async throws {
    try await World.with(installations: 4) { world in
      let suspects = world.members.map(\.number)
      #expect(try await world.node.circuits.examine(place(world), suspects: suspects).proven.isEmpty)
      let (_, open) = try await world.send(.installations(world.members.prefix(3).map(\.id)))
      let window = try #require(try await world.node.claimChunk(of: open, window: 10))
      let ack = WindowAck(
        lease: window.lease, from: 0, outcomes: [1, 1, 34], retries: [], resent: [], nextWindow: 0)
      #expect(try await world.node.ack(ack) == .chunkDone)
      let (_, single) = try await world.send(.installations([world.members[3].id]))
      let one = try #require(try await world.node.claimChunk(of: single, window: 10))
      #expect(try await world.node.ack(.accepted(one)) == .chunkDone)
      // The second device has sent another token since; whether that one works is not known.
      try await world.pool.script(
        """
        UPDATE installation SET push_token = 'ffffffff', token_registered_at = now() + interval '1 second'
        WHERE installation_no = \(world.members[1].number.value)
        """)
      let standing = try await world.node.circuits.examine(place(world), suspects: suspects)
      #expect(standing.proven == [world.members[0].number, world.members[3].number])
      #expect(!standing.isOpen && standing.epoch == 0)
    }
  }

  @Test("Of many nodes that open it at once one does, and what was seen before a resume doesn't open it after")
  func compareAndSet() async throws {
    try await World.with(installations: 0) { world in
      let circuits = world.node.circuits
      let place = place(world)
      let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<8 {
          group.addTask {
            try await circuits.open(place, expecting: 0, .credential, detail: nil, suspects: [])
          }
        }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(winners == 1)
      _ = try await circuits.pause(
        world.app.id, of: nil, [.production], detail: "kept out", by: .commandLine(.appPaused))
      #expect(try await circuits.pauses(of: world.app.id, in: nil)?.first?.reason == .credential)
      _ = try await circuits.resume(
        world.app.id, of: nil, [.production], keepSuspects: false, by: .commandLine(.appResumed))
      #expect(try await !circuits.open(place, expecting: 1, .credential, detail: nil, suspects: []))
      let standing = try await circuits.examine(place, suspects: [])
      #expect(!standing.isOpen && standing.epoch == 2)
      #expect(try await circuits.open(place, expecting: 2, .clockFault, detail: nil, suspects: []))
    }
  }

  @Test("Resuming lifts the suspects that led to the pause, unless they sent another token or are to be kept")
  func lift() async throws {
    try await World.with(installations: 4) { world in
      let circuits = world.node.circuits
      let members = world.members
      let feedback = members.map { member in
        TokenFeedback(
          app: member.appNumber, installation: member.number, token: member.token.text ?? "", state: .suspect,
          confirmedAt: nil)
      }
      #expect(try await world.node.record(feedback).count == 4)
      // The fourth was no suspect of the breaker's.
      try await circuits.remember([suspect(members[0])], of: place(world))
      #expect(
        try await circuits.open(
          place(world), expecting: 0, .tokensRefused, detail: nil, suspects: members.prefix(2).map(suspect)))
      try await circuits.remember([suspect(members[2])], of: place(world))
      try await world.pool.script(
        "UPDATE installation SET push_token = 'ffffffff' WHERE installation_no = \(members[1].number.value)")
      let resumed = try #require(
        try await circuits.resume(
          world.app.id, of: nil, [.production], keepSuspects: false, by: .commandLine(.appResumed)))
      #expect(resumed.resumed.tokens == 2)
      let states = try await world.pool.texts("SELECT token_state::text FROM installation ORDER BY installation_no")
      #expect(states == ["1", "2", "1", "2"])
      #expect(
        try await circuits.open(place(world), expecting: 2, .tokensRefused, detail: nil, suspects: feedbackOf(members)))
      #expect(
        try await circuits.resume(
          world.app.id, of: nil, [.production], keepSuspects: true, by: .commandLine(.appResumed))?.resumed.tokens == 0)
      #expect(try await world.pool.texts("SELECT token FROM app_circuit_suspect").isEmpty)
    }
  }

  private func feedbackOf(_ members: [Installation]) -> [CircuitSuspect] { members.map(suspect) }

  @Test("An app of another environment can't be paused or resumed, nor seen")
  func strangers() async throws {
    try await World.with(installations: 0) { world in
      let other = EnvironmentNumber(world.app.environment.value + 1)
      let circuits = world.node.circuits
      #expect(
        try await circuits.pause(world.app.id, of: other, [.production], detail: nil, by: .commandLine(.appPaused))
          == nil)
      #expect(try await circuits.pauses(of: world.app.id, in: nil) == [])
      _ = try await circuits.pause(world.app.id, of: nil, [.production], detail: nil, by: .commandLine(.appPaused))
      #expect(
        try await circuits.resume(
          world.app.id, of: other, [.production], keepSuspects: false, by: .commandLine(.appResumed)) == nil)
      #expect(try await circuits.pauses(of: world.app.id, in: nil)?.count == 1)
    }
  }

  @Test("Resuming after a clock fault drops the provider token, so that the right clock makes the next")
  func clockFault() async throws {
    try await World.with(installations: 0) { world in
      let key = SealedAPNsKey(
        teamID: "TEAM000001", keyID: "KEY0000001", fingerprint: [1], sealedUnder: "a", sealedPrivateKey: [2])
      let now = try #require(try await world.node.providerToken(key)).now
      let token = StoredProviderToken(sealedUnder: "a", sealedToken: [1], issuedAt: now)
      for (epoch, reason, stays) in [(Int32(0), PauseReason.credential, true), (2, .clockFault, false)] {
        _ = try await world.node.replaceProviderToken(key, with: token)
        #expect(
          try await world.node.circuits.open(place(world), expecting: epoch, reason, detail: nil, suspects: []))
        _ = try await world.node.circuits.resume(
          world.app.id, of: nil, [.production], keepSuspects: false, by: .commandLine(.appResumed))
        #expect(try await (world.node.providerToken(key)?.token != nil) == stays)
      }
    }
  }
}
