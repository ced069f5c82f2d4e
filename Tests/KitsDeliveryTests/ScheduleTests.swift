import FoundationEssentials
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsDelivery
@testable import KitsStore

@Suite("Scheduled messages start in time, once")
struct ScheduleTests {
  static let inAnHour = MessageSchedule.at(World.now.advanced(bySeconds: 3_600))

  static func scheduler(
    _ world: World, observe: @escaping @Sendable (DeliveryEvent) -> Void = { _ in },
    compose: (@Sendable (DueMessage) async throws -> NewMessage)? = nil
  ) -> Scheduler {
    Scheduler(
      store: world.node.schedules, compose: compose ?? world.compose(), observe: observe, wake: {})
  }

  @Test("Before its time it has no number, no chunk and an empty ledger, and nothing that looks for work sees it")
  func waits() async throws {
    try await World.with(installations: 2) { world in
      let id = try await world.schedule(Self.inAnHour)
      #expect(try await Self.scheduler(world).workOnce() == false)
      #expect(try await world.node.claimPlan() == nil)
      #expect(try await world.node.openMessages(limit: 10).isEmpty)
      #expect(try await world.node.finishable().isEmpty)
      try await world.node.endOverduePlansAndRetries()
      let record = try await world.record(id)
      #expect(record.state == .scheduled && !record.isPlanned && !record.isSettled && record.number.value == 0)
      #expect(record.timing.schedule == Self.inAnHour && record.times.startedAt == nil)
      #expect(record.contentJSON.map { String(decoding: $0, as: UTF8.self) } == #"{"title":"a"}"#)
      #expect(record.times.expiresAt == Self.inAnHour.startsAt.advanced(bySeconds: 3_600))
      #expect(try await world.ledger(world.open(id)) == Ledger(targeted: 0, reasons: []))
    }
  }

  @Test("At its time it becomes a message like any other; its life counts from then")
  func starts() async throws {
    try await World.with(installations: 3) { world in
      let id = try await world.schedule(Self.inAnHour)
      try await world.makeDue()
      #expect(try await Self.scheduler(world).workOnce())
      #expect(try await Self.scheduler(world).workOnce() == false)
      _ = try await world.plan()
      let record = try await world.record(id)
      #expect(record.state == .sending && record.number.value > 0)
      // Planning begins a little after the start.
      let startedAt = try #require(record.times.startedAt)
      #expect(record.times.expiresAt >= startedAt.advanced(bySeconds: 3_540))
      #expect(record.times.expiresAt <= startedAt.advanced(bySeconds: 3_600))
      let open = try await world.open(id)
      #expect(try await world.node.claimChunk(of: open, window: 10)?.recipients.count == 3)
      #expect(try await world.pool.texts("SELECT message_id::text FROM message_schedule").isEmpty)
      #expect(try await world.pool.texts("SELECT content ->> 'title' FROM message_body") == ["a"])
    }
  }

  @Test("Named installations are resolved when it starts: who was deleted meanwhile is unmatched")
  func resolvesLate() async throws {
    try await World.with(installations: 2) { world in
      let target = MessageTarget.installations(world.members.map(\.id))
      let id = try await world.schedule(Self.inAnHour, target)
      #expect(try await world.record(id).target.requested == 2)
      try await world.pool.script(
        "DELETE FROM installation WHERE installation_no = \(world.members[0].number.value)")
      try await world.makeDue()
      #expect(try await Self.scheduler(world, compose: world.compose(target)).workOnce())
      let record = try await world.record(id)
      #expect(record.unmatched.sample == [world.members[0].id.text] && record.isPlanned && record.state == .sending)
    }
  }

  @Test("Two nodes that look at the same time start each message once")
  func twoNodes() async throws {
    try await World.with(installations: 1) { world in
      for _ in 0..<60 { try await world.schedule(Self.inAnHour) }
      try await world.makeDue()
      let (one, two) = (world.node.schedules, world.another(owner: 2).schedules)
      @Sendable func drain(_ store: ScheduleStore) async throws -> [MessageID] {
        var started: [MessageID] = []
        while true {
          let batch = try await store.startDue(limit: 7, compose: world.compose())
          if batch.isEmpty { return started }
          started += batch
        }
      }
      async let first = drain(one)
      async let second = drain(two)
      let all = try await first + second
      #expect(all.count == 60 && Set(all).count == 60)
      #expect(try await world.pool.texts("SELECT count(*)::text FROM message_body") == ["60"])
      #expect(try await world.pool.texts("SELECT count(*)::text FROM message WHERE state = 1") == ["60"])
    }
  }

  @Test("A node that dies between claim and commit leaves it to the next one, whole")
  func diesBetween() async throws {
    try await World.with(installations: 1) { world in
      let id = try await world.schedule(Self.inAnHour)
      try await world.makeDue()
      // Everything but the commit, then the connection is gone as with kill -9.
      await #expect(throws: (any Error).self) {
        try await world.pool.transaction { transaction in
          let due = try await transaction.run(ClaimDueMessages(limit: 10, bytes: 1_000_000))
          #expect(due.map(\.id) == [id])
          let rows = try await transaction.run(CreateMessages(messages: [try await world.compose()(due[0])]))
          #expect(rows.count == 1)
          // Another node passes the locked row, it doesn't wait.
          #expect(try await world.another(owner: 2).schedules.startDue(limit: 10, compose: world.compose()).isEmpty)
          try await transaction.script("SELECT pg_terminate_backend(pg_backend_pid())")
        }
      }
      #expect(try await world.record(id).state == .scheduled)
      #expect(try await world.node.schedules.startDue(limit: 10, compose: world.compose()) == [id])
      #expect(try await world.pool.texts("SELECT count(*)::text FROM message_body") == ["1"])
    }
  }

  @Test("A change that comes between reading and starting isn't lost: its row lock or its revision decides")
  func changeWins() async throws {
    try await World.with(installations: 1) { world in
      let id = try await world.schedule(Self.inAnHour)
      let stale = world.message(id: id, start: ScheduledStart(revision: 1, localAt: nil))
      let change = ScheduleRevision(
        revision: 1,
        schedule: NewSchedule(message: world.message(id: id), body: Array("{}".utf8), schedule: Self.inAnHour))
      #expect(try await world.node.schedules.revise(change, deadline: .now + .seconds(20)) == .revised)
      // The same call again, whose first answer was lost.
      #expect(try await world.node.schedules.revise(change, deadline: .now + .seconds(20)) == .revised)
      #expect(try await world.record(id).timing.revision == 2)
      let rows = try await world.pool.run(CreateMessages(messages: [stale]))
      guard case .busy? = rows.first else {
        Issue.record("\(rows)")
        return
      }
      #expect(try await world.record(id).state == .scheduled)
      let old = ScheduleRevision(
        revision: 1, schedule: NewSchedule(message: world.message(id: id), body: Array("[]".utf8), schedule: nil))
      #expect(try await world.node.schedules.revise(old, deadline: .now + .seconds(20)) == .changed)
    }
  }

  @Test("Whatever a start and a change do at the same time, what starts is the body of its revision")
  func startsWhatWasChanged() async throws {
    try await World.with(installations: 1) { world in
      let schedules = world.node.schedules
      for _ in 0..<25 {
        let id = try await world.schedule(Self.inAnHour, body: #"{"revision":1}"#)
        try await world.makeDue()
        let change = ScheduleRevision(
          revision: 1,
          schedule: NewSchedule(
            message: world.message(id: id), body: Array(#"{"revision":2}"#.utf8), schedule: .at(World.now)))
        async let answer = schedules.revise(change, deadline: .now + .seconds(20))
        let started = try await schedules.startDue(limit: 64) { due in
          #expect(String(decoding: due.body, as: UTF8.self) == "{\"revision\":\(due.revision)}")
          return world.message(id: due.id, start: due.start)
        }
        let revised = try await answer
        #expect(revised == .revised || started == [id])
        try await world.makeDue()
        _ = try await schedules.startDue(limit: 64, compose: world.compose())
      }
    }
  }

  @Test("What the segments of a scheduled message ask about is looked at when it starts")
  func segmentsAreRead() async throws {
    try await World.with(installations: 0) { world in
      let segment = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
      for (filter, asks) in [(#"{"all":[]}"#, false), (#"{"field":"tag.a","op":"exists"}"#, true)] {
        try await world.pool.script(
          """
          DELETE FROM segment;
          INSERT INTO segment (app_no, segment_id, name, filter, created_by)
          VALUES (\(world.app.number.value), '\(segment)', 'a', '\(filter)', gen_random_uuid())
          """)
        let id = try await world.schedule(Self.inAnHour, body: #"{"target":{"segment_ids":["\#(segment)"]}}"#)
        try await world.makeDue()
        let started = try await world.node.schedules.startDue(limit: 1) { due in
          #expect(due.segmentsDependOnUser == asks)
          return world.message(id: due.id, start: due.start)
        }
        #expect(started == [id])
      }
    }
  }

  @Test("Canceled before its time it is over at once, with its content, and never starts")
  func cancels() async throws {
    try await World.with(installations: 1) { world in
      let id = try await world.schedule(Self.inAnHour)
      let state = try await world.messages.cancel(
        environment: world.app.environment, id: id, deadline: .now + .seconds(20))
      #expect(state == .scheduled)
      try await world.makeDue()
      #expect(try await Self.scheduler(world).workOnce() == false)
      let record = try await world.record(id)
      #expect(record.state == .canceled && record.times.canceledAt != nil && record.isSettled)
      #expect(record.contentJSON.map { String(decoding: $0, as: UTF8.self) } == #"{"title":"a"}"#)
      #expect(record.timing.schedule == Self.inAnHour)
      #expect(try await world.ledger(world.open(id)) == Ledger(targeted: 0, reasons: []))
      #expect(try await world.pool.texts("SELECT message_id::text FROM message_schedule").isEmpty)
      let change = ScheduleRevision(
        revision: 1, schedule: NewSchedule(message: world.message(id: id), body: [0x7B, 0x7D], schedule: nil))
      #expect(try await world.node.schedules.revise(change, deadline: .now + .seconds(20)) == .over(.canceled))
    }
  }

  @Test("One that can't be started is set aside for a minute and holds nobody up")
  func setsAside() async throws {
    try await World.with(installations: 1) { world in
      let bad = try await world.schedule(Self.inAnHour)
      let good = try await world.schedule(Self.inAnHour)
      try await world.makeDue()
      let log = Guard<[MessageID]>([])
      let scheduler = Self.scheduler(
        world,
        observe: { if case .notStarted(let id, _) = $0 { log.withLock { $0.append(id) } } },
        compose: { due in
          if due.id == bad { throw Surprise("unreadable") }
          return world.message(id: due.id, start: due.start)
        })
      while try await scheduler.workOnce() {}
      #expect(log.withLock { $0 } == [bad])
      #expect(try await world.record(bad).state == .scheduled)
      #expect(try await world.record(good).state == .planning)
      #expect(
        try await world.pool.texts("SELECT (due_at > now())::text FROM message WHERE state = 6") == ["true"])
      let backlog = try #require(try await HealthStore(pool: world.pool).backlog(deadline: .now + .seconds(20)))
      #expect(backlog.scheduled == 1 && backlog.overdueMilliseconds >= 1_000)
    }
  }

  @Test("The same idempotency key schedules once")
  func idempotent() async throws {
    try await World.with(installations: 0) { world in
      try await world.schedule(Self.inAnHour, key: [7])
      let second = try await world.messages.schedules.schedule(
        NewSchedule(message: world.message(key: [7]), body: [0x7B, 0x7D], schedule: Self.inAnHour),
        deadline: .now + .seconds(20))
      #expect(second == nil)
      #expect(try await world.pool.texts("SELECT count(*)::text FROM message") == ["1"])
    }
  }

  @Test("The segments that a scheduled message names are in use until it starts")
  func usesSegments() async throws {
    try await World.with(installations: 0) { world in
      let segment = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
      let other = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d71"
      try await world.pool.script(
        """
        INSERT INTO segment (app_no, segment_id, name, filter, created_by)
        SELECT \(world.app.number.value), id::uuid, id, '{"all":[]}', gen_random_uuid()
        FROM unnest('{\(segment),\(other)}'::text[]) AS u (id)
        """)
      let id = try await world.schedule(
        Self.inAnHour, body: #"{"target":{"segment_ids":["\#(segment)"],"exclude_segment_ids":["\#(other)"]}}"#)
      let uses = "SELECT segment_id || ' ' || excluded FROM message_segment ORDER BY 1"
      #expect(try await world.pool.texts(uses) == ["\(segment) false", "\(other) true"])
      let store = SegmentStore(pool: world.pool)
      let found = try await store.uses(
        environment: world.app.environment, id: SegmentID(try #require(UUID(uuidString: segment))),
        deadline: .now + .seconds(20))
      #expect(found.map(\.message) == [id])
      let change = ScheduleRevision(
        revision: 1,
        schedule: NewSchedule(
          message: world.message(id: id), body: Array(#"{"target":{"segment_ids":["\#(other)"]}}"#.utf8),
          schedule: Self.inAnHour))
      #expect(try await world.node.schedules.revise(change, deadline: .now + .seconds(20)) == .revised)
      #expect(try await world.pool.texts(uses) == ["\(other) false"])
      try await world.makeDue()
      #expect(try await world.node.schedules.startDue(limit: 1, compose: world.compose()) == [id])
      #expect(try await world.pool.texts(uses).isEmpty)
    }
  }

  @Test("A canceled one is forgotten with the messages of its day")
  func forgotten() async throws {
    try await World.with(installations: 0) { world in
      let id = try await world.schedule(Self.inAnHour)
      _ = try await world.messages.cancel(environment: world.app.environment, id: id, deadline: .now + .seconds(20))
      let store = RetentionStore(pool: world.pool, owner: 1)
      let later = World.now.advanced(bySeconds: 86_400)
      #expect(try await store.forgetMessages(before: later, oldest: Int64.max, limit: 10) == 1)
      let waiting = try await world.schedule(Self.inAnHour)
      #expect(try await store.forgetMessages(before: later, oldest: Int64.max, limit: 10) == 0)
      #expect(try await world.record(waiting).state == .scheduled)
    }
  }
}
