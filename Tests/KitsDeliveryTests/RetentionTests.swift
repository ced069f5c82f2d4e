import FoundationEssentials
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsDelivery
@testable import KitsStore

@Suite("What is too old goes, what counts stays")
struct RetentionTests {
  /// What a sweep reported.
  final class Log: Sendable {
    private let events = Guard<[DeliveryEvent]>([])

    func add(_ event: DeliveryEvent) { events.withLock { $0.append(event) } }

    var kept: [String] {
      events.withLock { $0.compactMap { if case .dayKept(_, let reason) = $0 { reason } else { nil } } }
    }
    var dropped: Int {
      events.withLock { $0.filter { if case .dayDropped = $0 { true } else { false } }.count }
    }
    var forgotten: [String: Int] {
      events.withLock {
        $0.reduce(into: [:]) { if case .rowsForgotten(let table, let count) = $1 { $0[table, default: 0] += count } }
      }
    }
    var troubles: Int {
      events.withLock { $0.filter { if case .troubled = $0 { true } else { false } }.count }
    }
  }

  static func sweeper(
    _ world: World, days: Int64 = 30, owner: Int64 = 1, log: Log = Log(), isStopping: Bool = false
  ) -> RetentionSweeper {
    RetentionSweeper(
      store: RetentionStore(pool: world.pool, owner: owner), rules: RetentionRules(days: days), observe: log.add,
      isStopping: { isStopping })
  }

  static func inDays(_ days: Int64, _ world: World) async throws -> Timestamp {
    try await RetentionStore(pool: world.pool, owner: 9).now().hoursAgo(-24 * days)
  }

  /// Sends a message whose recipients end with these outcomes.
  @discardableResult
  static func settle(
    _ world: World, _ outcomes: [OutcomeCode], summary: Bool = false
  ) async throws -> (id: MessageID, open: OpenMessage) {
    let sent = try await world.send(.installations(world.members.prefix(outcomes.count).map(\.id)))
    _ = try await world.plan()
    if !outcomes.isEmpty {
      let window = try #require(try await world.node.claimChunk(of: sent.open, window: 1_000))
      let ack = WindowAck(
        lease: window.lease, from: 0, outcomes: outcomes.map(\.byte), retries: [], resent: summary ? [0] : [],
        nextWindow: 0)
      #expect(try await world.node.ack(ack) == .chunkDone)
      #expect(try await world.node.finish(sent.open))
    }
    return sent
  }

  static func count(_ world: World, _ table: String) async throws -> Int {
    Int(try await world.pool.texts("SELECT count(*)::text FROM \(table)")[0]) ?? -1
  }

  static func outcomes(_ world: World, _ open: OpenMessage) async throws -> (Ledger, [Ledger.ReasonCount]) {
    let found = try await world.messages.outcomes(
      app: open.app, message: open.message, deadline: .now + .seconds(20))
    return (found.ledger, found.reasons)
  }

  @Test("40 days on, chunks and contents are gone and every message reads the same ledger and reasons")
  func keepsTheLedger() async throws {
    try await World.with(installations: 5) { world in
      let mixed: [OutcomeCode] = [.accepted, .accepted, OutcomeCode(32), .unknown, .optedOut]
      let first = try await Self.settle(world, mixed, summary: true)
      let whole = try await Self.settle(world, [.accepted, .accepted, .accepted])
      let nobody = try await Self.settle(world, [])
      let before = try await [first, whole, nobody].asyncMap { try await Self.outcomes(world, $0.open) }
      #expect(before[0].0.addsUp && before[0].0.targeted == 5)
      let view = "SELECT to_json(l)::text FROM message_ledger l ORDER BY message_no"
      let rows = try await world.pool.texts(view)

      let log = Log()
      var sweeper = Self.sweeper(world, log: log)
      // A message and a recipient a step: every place where a step ends is met.
      sweeper.rowsPerStep = 1
      sweeper.recipientsPerStep = 1
      try await sweeper.sweep(now: try await Self.inDays(40, world))

      #expect(try await world.pool.texts("SELECT relname::text FROM pg_class WHERE relname ~ '^message_chunk_2'") == [])
      #expect(log.dropped == 9 && log.kept.isEmpty && log.troubles == 0)
      #expect(log.forgotten["message_body"] == 3 && log.forgotten["delivery_summary"] == 1)
      for table in ["message_chunk", "message_body", "message_target", "delivery_summary", "registration"] {
        #expect(try await Self.count(world, table) == 0, "\(table)")
      }
      let after = try await [first, whole, nobody].asyncMap { try await Self.outcomes(world, $0.open) }
      for (old, new) in zip(before, after) { #expect(old == new) }
      #expect(try await world.pool.texts(view) == rows)
      let record = try await world.record(first.id)
      #expect(record.contentJSON == nil && record.state == .completed && record.isSettled)
      let list = try await world.messages.list(
        MessageSelection(environment: world.app.environment, app: nil, state: nil, before: nil), limit: 10,
        deadline: .now + .seconds(20))
      #expect(list.count == 3 && list.allSatisfy { $0.contentJSON == nil })

      // The next messages find their partitions.
      try await world.node.housekeeping()
      try await Self.settle(world, [.accepted])
    }
  }

  @Test("A day stays as long as anything in it is open, and until it is old enough")
  func keepsWhatIsOpen() async throws {
    try await World.with(installations: 2) { world in
      let ended = try await Self.settle(world, [.accepted, .accepted])
      let open = try await world.send()
      _ = try await world.plan()
      let log = Log()
      let partitions = try await RetentionStore(pool: world.pool, owner: 9).partitions()
      // All days up to yesterday's are 30 days old, today's not yet.
      let early = Timestamp(microseconds: partitions[1].endsAt.hoursAgo(-24 * 30).microseconds - 1)
      try await Self.sweeper(world, log: log).sweep(now: early)
      #expect(log.dropped == 1 && log.kept.isEmpty)
      #expect(try await Self.count(world, "message_chunk") == 2)

      let later = partitions[1].endsAt.hoursAgo(-24 * 30 - 1)
      try await Self.sweeper(world, log: log).sweep(now: later)
      #expect(log.dropped == 1 && log.kept == ["2 messages, chunks or retries are open"])
      #expect(try await world.record(ended.id).contentJSON != nil)

      let window = try #require(try await world.node.claimChunk(of: open.open, window: 10))
      #expect(try await world.node.ack(.accepted(window)) == .chunkDone)
      #expect(try await world.node.finish(open.open))
      try await Self.sweeper(world, log: log).sweep(now: later.hoursAgo(-1))
      #expect(log.dropped == 1, "an hour has to pass")
      try await Self.sweeper(world, log: log).sweep(now: later.hoursAgo(-2))
      #expect(log.dropped == 2)
      #expect(try await world.ledger(open.open).accepted == 2)
    }
  }

  @Test("A day whose counts would be lost stays")
  func keepsWhatDoesNotAddUp() async throws {
    try await World.with(installations: 2) { world in
      let sent = try await Self.settle(world, [.accepted, .accepted])
      try await world.pool.script("UPDATE message SET planned = 3")
      let log = Log()
      try await Self.sweeper(world, log: log).sweep(now: try await Self.inDays(40, world))
      #expect(log.kept == ["the ledgers of 1 messages don't add up"])
      #expect(try await Self.count(world, "message_chunk") == 1)
      #expect(try await Self.outcomes(world, sent.open).0.accepted == 2)
    }
  }

  @Test("Somebody who reads the table for long delays the removal, never the sending; the next run ends it")
  func neverBlocks() async throws {
    try await World.with(installations: 2) { world in
      try await Self.settle(world, [.accepted])
      let (started, start) = AsyncStream.makeStream(of: Void.self)
      let (ended, end) = AsyncStream.makeStream(of: Void.self)
      let pool = world.pool
      let reader = Task {
        try await pool.transaction(deadline: .now + .seconds(60)) { transaction in
          try await transaction.script("SELECT count(*) FROM message_chunk")
          start.finish()
          for await _ in ended {}
        }
      }
      for await _ in started {}
      let log = Log()
      var sweeper = Self.sweeper(world, log: log)
      sweeper.detachLimit = .milliseconds(300)
      sweeper.detachAttempts = 2
      let now = try await Self.inDays(40, world)
      let sweep = Task { [sweeper] in try await sweeper.sweep(now: now) }
      // While it waits, a message of today goes through all of its statements.
      let another = try await Self.settle(world, [.accepted, .accepted])
      try await sweep.value
      #expect(log.troubles == 2 && log.dropped == 0)
      #expect(try await world.ledger(another.open).accepted == 2)
      end.finish()
      try await reader.value

      try await Self.sweeper(world, log: log).sweep(now: now.hoursAgo(-2))
      #expect(try await world.pool.texts("SELECT relname::text FROM pg_class WHERE relname ~ '^message_chunk_2'") == [])
    }
  }

  @Test("A day that was detached by a node that died before it was dropped is dropped by the next")
  func endsWhatWasBegun() async throws {
    try await World.with(installations: 1) { world in
      let store = RetentionStore(pool: world.pool, owner: 9)
      let oldest = try #require(try await store.partitions().first)
      try await store.detach(oldest, within: .seconds(10))
      #expect(try await store.partitions().first?.standing == .detached)
      let log = Log()
      try await Self.sweeper(world, log: log).sweep(now: oldest.endsAt.hoursAgo(-24 * 30))
      #expect(log.dropped == 1)
      #expect(try await store.partitions().contains { $0.day == oldest.day } == false)
    }
  }

  @Test("One node at a time; a node that stops gives its turn back, one that dies loses it")
  func turns() async throws {
    try await World.with(installations: 1) { world in
      try await Self.settle(world, [.accepted])
      let now = try await Self.inDays(40, world)
      let (one, two) = (RetentionStore(pool: world.pool, owner: 1), RetentionStore(pool: world.pool, owner: 2))
      #expect(try await one.claim(.retention, doneBefore: now))
      #expect(try await two.claim(.retention, doneBefore: now) == false)
      let log = Log()
      try await Self.sweeper(world, owner: 2, log: log).sweep(now: now)
      #expect(log.dropped == 0)
      try await world.pool.script("UPDATE maintenance SET lease_until = now() - interval '1 second'")
      #expect(try await two.claim(.retention, doneBefore: now))
      #expect(try await one.renew(.retention) == false)
      #expect(try await two.renew(.retention))
      try await two.release(.retention, doneAt: nil)

      try await Self.sweeper(world, log: log, isStopping: true).sweep(now: now)
      #expect(log.dropped == 0)
      try await Self.sweeper(world, owner: 2, log: log).sweep(now: now)
      #expect(log.dropped == 9)
    }
  }

  @Test("Keys, provider tokens and at last the messages themselves go when their time is over")
  func keysAndRecords() async throws {
    try await World.with(installations: 1) { world in
      let sent = try await Self.settle(world, [.accepted])
      try await world.pool.script(
        """
        INSERT INTO idempotency_key (app_no, credential, key_hash, body_hash, message_id)
          VALUES (1, 1, 'a', 'b', gen_random_uuid());
        INSERT INTO provider_token VALUES ('T', 'K', 'f', 'a', 't', now());
        """)
      let tables = ["registration", "idempotency_key", "provider_token", "message", "message_rollup"]
      func counts(after hours: Int64) async throws -> [Int] {
        let now = try await Self.inDays(0, world).hoursAgo(-hours)
        try await Self.sweeper(world).sweep(now: now)
        return try await tables.asyncMap { try await Self.count(world, $0) }
      }
      #expect(try await counts(after: 23) == [1, 1, 1, 1, 0])
      #expect(try await counts(after: 26) == [0, 1, 0, 1, 0])
      #expect(try await counts(after: 30 * 24) == [0, 1, 0, 1, 0])
      #expect(try await counts(after: 33 * 24) == [0, 0, 0, 1, 1])
      #expect(try await counts(after: 399 * 24) == [0, 0, 0, 1, 1])
      #expect(try await world.ledger(sent.open).accepted == 1)
      #expect(try await counts(after: 401 * 24) == [0, 0, 0, 0, 0])
      let gone = try await world.messages.read(
        environment: world.app.environment, id: sent.id, deadline: .now + .seconds(20))
      #expect(gone == nil)
    }
  }

  @Test("Messages are kept for 400 days, or for as long as their deliveries")
  func recordDays() {
    #expect(RetentionRules(days: 1).recordDays == 400)
    #expect(RetentionRules(days: 3_650).recordDays == 3_650)
  }

  @Test("Entries of the audit log go after their days and not before; the younger ones stay")
  func audit() async throws {
    try await World.with(installations: 0) { world in
      #expect(try await Self.count(world, "audit_entry") == 2)
      let log = Log()
      var sweeper = Self.sweeper(world, log: log)
      sweeper.rowsPerStep = 1
      try await sweeper.sweep(now: try await Self.inDays(399, world))
      #expect(try await Self.count(world, "audit_entry") == 2)
      try await sweeper.sweep(now: try await Self.inDays(401, world))
      #expect(try await Self.count(world, "audit_entry") == 0)
      #expect(log.forgotten["audit_entry"] == 2)
    }
  }

  @Test("Keys of tags that nobody sets any more go after 400 days")
  func tagKeys() async throws {
    try await World.with(installations: 0) { world in
      try await world.pool.script("INSERT INTO tag_key (app_no, key) VALUES (1, 'plan'), (1, 'old'), (2, 'old')")
      let log = Log()
      var sweeper = Self.sweeper(world, log: log)
      sweeper.rowsPerStep = 1
      try await sweeper.sweep(now: try await Self.inDays(399, world))
      #expect(try await Self.count(world, "tag_key") == 3)
      try await world.pool.script("UPDATE tag_key SET last_seen_on = last_seen_on + 10 WHERE key = 'plan'")
      try await sweeper.sweep(now: try await Self.inDays(402, world))
      #expect(try await world.pool.texts("SELECT key FROM tag_key") == ["plan"])
      #expect(log.forgotten["tag_key"] == 2)
    }
  }

  @Test("Owners of tokens that nobody uses any more go; those in use and those claimed lately stay")
  func tokenOwners() async throws {
    try await World.with(installations: 3) { world in
      let (moving, leaving) = (world.members[0], world.members[1])
      var state = DesiredState()
      state.pushToken = .set(try #require(PushToken(World.token(77), platform: .ios)))
      let update = StateUpdate(
        app: moving.appNumber, number: moving.number, generation: moving.generation, state: state, stateRevision: 2,
        stateHash: [2])
      _ = try await world.installations.update(update, deadline: .now + .seconds(20))
      // Without its hold on the token, as an older version or a repair by hand would leave it.
      try await world.pool.script("DELETE FROM installation WHERE installation_no = \(leaving.number.value)")
      #expect(try await Self.count(world, "token_owner") == 4)

      let log = Log()
      var sweeper = Self.sweeper(world, log: log)
      sweeper.rowsPerStep = 1
      try await sweeper.sweep(now: try await Self.inDays(0, world))
      #expect(try await Self.count(world, "token_owner") == 4, "claimed within a day")
      try await sweeper.sweep(now: try await Self.inDays(2, world))
      #expect(log.forgotten["token_owner"] == 2)
      let left = try await world.pool.texts("SELECT token FROM token_owner ORDER BY token")
      #expect(left == [World.token(2), World.token(77)])
      _ = try await world.send()
      #expect(try await world.plan()?.planned == 2)
    }
  }
}

extension Array {
  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async throws -> [T] {
    var results: [T] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
