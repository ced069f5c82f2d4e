import FoundationEssentials
import KitsCore
import KitsStore
import Postgres
import TestSupport
import Testing

@testable import KitsDelivery

@Suite("Messages over time")
struct MessageReportTests {
  static func report(
    _ world: World, _ interval: MessageReport.Interval = .day, back: Int = 1
  ) async throws -> MessageReport {
    let today = try await UninstallTests.today(world)
    return try await ReportStore(pool: world.pool).messages(
      app: world.app.number, days: today.adding(-back)...today, interval: interval, deadline: .now + .seconds(20))
  }

  /// All steps together.
  static func total(_ report: MessageReport) -> MessageReport.Counts {
    report.steps.reduce(none) { sum, step in sum + step.counts }
  }

  static let none = MessageReport.Counts(
    messages: 0, ledger: Ledger(targeted: 0, reasons: []), received: 0, clicked: 0)

  /// Counts everything anew, as the next turns would.
  static func count(_ world: World, owner: Int64 = 1) async throws {
    try await world.pool.script("UPDATE message_hour SET counted_at = '-infinity'")
    try await UninstallTests.keep(world, owner: owner)
  }

  /// What the devices reported, as the routes for it store it.
  static func report(_ world: World, _ open: OpenMessage, received: Int, clicked: Int) async throws {
    let (app, message) = (open.app.value, open.message.value)
    try await world.pool.script(
      """
      INSERT INTO event_hour (app_no, message_no, type, hour, count)
      VALUES (\(app), \(message), 1, date_trunc('hour', now()), \(received)),
        (\(app), \(message), 2, date_trunc('hour', now()), \(clicked))
      """)
  }

  @Test("The sums of the report are the ledgers of the messages, while they are sent and afterwards")
  func sums() async throws {
    try await World.with(installations: 5, isConserved: false) { world in
      let mixed: [OutcomeCode] = [.accepted, .accepted, OutcomeCode(32), .unknown, .optedOut]
      let first = try await RetentionTests.settle(world, mixed)
      _ = try await RetentionTests.settle(world, [.accepted, .expired, .canceled])
      try await RetentionTests.settle(world, [])
      let open = try await world.send()
      _ = try await world.plan()
      try await Self.report(world, first.open, received: 2, clicked: 1)
      try await Self.count(world)

      var total = Self.total(try await Self.report(world))
      #expect(total.messages == 4 && total.received == 2 && total.clicked == 1)
      #expect(total.ledger.addsUp && total.ledger.targeted == 13 && total.ledger.pending == 5)
      try await Self.expectLedgers(total.ledger, world)

      let window = try #require(try await world.node.claimChunk(of: open.open, window: 10))
      #expect(try await world.node.ack(.accepted(window)) == .chunkDone)
      #expect(try await world.node.finish(open.open))
      try await Self.count(world)
      total = Self.total(try await Self.report(world))
      #expect(total.ledger.pending == 0 && total.ledger.accepted == 8)
      try await Self.expectLedgers(total.ledger, world)
      let hourly = try await Self.report(world, .hour)
      #expect(hourly.steps.count == 48 && Self.total(hourly) == total)
      #expect(hourly.asOf != nil)

      // The chunks go, the counts stay.
      try await RetentionTests.sweeper(world).sweep(now: try await RetentionTests.inDays(40, world))
      #expect(try await RetentionTests.count(world, "message_rollup") == 3)
      try await Self.count(world)
      #expect(Self.total(try await Self.report(world)) == total)
    }
  }

  private static func expectLedgers(_ ledger: Ledger, _ world: World) async throws {
    let sums = try await world.pool.texts(
      """
      SELECT concat_ws(' ', sum(targeted), sum(pending), sum(accepted), sum(failed), sum(suppressed), sum(expired),
        sum(canceled), sum(unknown))
      FROM message_ledger
      """)
    let numbers = [
      ledger.targeted, ledger.pending, ledger.accepted, ledger.failed, ledger.suppressed, ledger.expired,
      ledger.canceled, ledger.unknown,
    ]
    #expect(sums == [numbers.map(String.init).joined(separator: " ")])
  }

  @Test("An hour is counted again ever more seldom; once it is settled, only its events")
  func dueHours() async throws {
    try await World.with(installations: 2, isConserved: false) { world in
      let sent = try await RetentionTests.settle(world, [.accepted, .accepted])
      try await UninstallTests.keep(world)
      let store = RetentionStore(pool: world.pool, owner: 3)
      func due() async throws -> [MessageHour] { try await store.messageHours(leastSeconds: 0, limit: 10) }
      #expect(try await due().isEmpty)
      try await world.pool.script("UPDATE message_hour SET counted_at = now() - interval '61 seconds'")
      #expect(try await due().map(\.isSettled) == [false], "the hour isn't over")

      // As if it were ten hours ago: due after ten minutes, and settled from then on.
      try await Self.move(world, hours: 10)
      try await Self.count(world)
      try await world.pool.script("UPDATE message_hour SET counted_at = now() - interval '9 minutes'")
      #expect(try await due().isEmpty)
      try await world.pool.script("UPDATE message_hour SET counted_at = now() - interval '11 minutes'")
      #expect(try await due().map(\.isSettled) == [true])
      let open = OpenMessage(app: sent.open.app, message: try await Self.number(world))
      try await Self.report(world, open, received: 1, clicked: 0)
      try await UninstallTests.keep(world)
      let total = Self.total(try await Self.report(world))
      #expect(total.received == 1 && total.ledger.accepted == 2 && total.messages == 1)

      try await Self.move(world, hours: 33 * 24)
      try await Self.count(world)
      #expect(Self.total(try await Self.report(world, back: 40)) == total)
      try await world.pool.script("UPDATE message_hour SET counted_at = '-infinity'")
      #expect(try await due().isEmpty, "no event is taken any more")
    }
  }

  @Test("After a pause every hour is found, the empty ones are zeros, and two nodes count nothing twice")
  func pause() async throws {
    try await World.with(installations: 1, isConserved: false) { world in
      for hours in [30, 17, 1] {
        try await RetentionTests.settle(world, [.accepted])
        try await Self.move(world, hours: hours)
      }
      try await RetentionTests.settle(world, [.accepted])
      async let one: Void = UninstallTests.keep(world, owner: 1)
      async let two: Void = UninstallTests.keep(world, owner: 2)
      _ = try await (one, two)
      try await UninstallTests.keep(world, owner: 2)
      let report = try await Self.report(world, .hour, back: 3)
      #expect(report.steps.count == 96)
      #expect(report.steps.filter { $0.counts.messages > 0 }.map(\.counts.ledger.accepted) == [1, 1, 1, 1])
      #expect(Self.total(report).messages == 4)
    }
  }

  /// Moves all messages back by whole hours, with their chunks.
  private static func move(_ world: World, hours: Int) async throws {
    let by = Int64(hours) * 3_600_000 << 22
    try await world.pool.script(
      """
      DELETE FROM message_hour;
      SELECT ensure_partitions(1);
      DO $$
      DECLARE day date;
      BEGIN
        FOR day IN SELECT generate_series(current_date - 60, current_date - 2, '1 day')::date LOOP
          EXECUTE format(
            'CREATE TABLE IF NOT EXISTS message_chunk_%s PARTITION OF message_chunk FOR VALUES FROM (%s) TO (%s)',
            to_char(day, 'YYYYMMDD'), (extract(epoch FROM day::timestamp AT TIME ZONE 'UTC') * 1000)::bigint << 22,
            (extract(epoch FROM (day + 1)::timestamp AT TIME ZONE 'UTC') * 1000)::bigint << 22);
        END LOOP;
      END $$;
      UPDATE message_chunk SET message_no = message_no - \(by);
      UPDATE message SET message_no = message_no - \(by);
      UPDATE event_hour SET message_no = message_no - \(by);
      """)
  }

  private static func number(_ world: World) async throws -> MessageNumber {
    MessageNumber(Int64(try await world.pool.texts("SELECT message_no::text FROM message")[0]) ?? 0)
  }
}

extension MessageReport.Counts {
  fileprivate static func + (left: Self, right: Self) -> Self {
    func both(_ path: KeyPath<Ledger, Int64>) -> Int64 { left.ledger[keyPath: path] + right.ledger[keyPath: path] }
    let classes: [(OutcomeClass, KeyPath<Ledger, Int64>)] = [
      (.pending, \.pending), (.accepted, \.accepted), (.failed, \.failed), (.suppressed, \.suppressed),
      (.expired, \.expired), (.canceled, \.canceled), (.unknown, \.unknown),
    ]
    let reasons = classes.map { Ledger.ReasonCount(outcomeClass: $0.0, reason: "", count: both($0.1)) }
    return MessageReport.Counts(
      messages: left.messages + right.messages, ledger: Ledger(targeted: both(\.targeted), reasons: reasons),
      received: left.received + right.received, clicked: left.clicked + right.clicked)
  }
}
