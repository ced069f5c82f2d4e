import FoundationEssentials
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsDelivery
@testable import KitsStore

@Suite("Each recipient at its own time")
struct LocalTimeTests {
  /// What Python's zoneinfo says: of a time that is skipped the one before the turn (fold 0), of one that comes twice
  /// the second (fold 1).
  static let moments: [(zone: String, wall: String, moment: String)] = [
    ("Europe/Berlin", "2027-03-28T01:59:59", "2027-03-28T00:59:59Z"),
    ("Europe/Berlin", "2027-03-28T02:00:00", "2027-03-28T01:00:00Z"),
    ("Europe/Berlin", "2027-03-28T02:30:00", "2027-03-28T01:30:00Z"),
    ("Europe/Berlin", "2027-03-28T03:00:00", "2027-03-28T01:00:00Z"),
    ("Europe/Berlin", "2027-10-31T01:59:59", "2027-10-30T23:59:59Z"),
    ("Europe/Berlin", "2027-10-31T02:00:00", "2027-10-31T01:00:00Z"),
    ("Europe/Berlin", "2027-10-31T02:30:00", "2027-10-31T01:30:00Z"),
    ("Europe/Berlin", "2027-10-31T03:00:00", "2027-10-31T02:00:00Z"),
    ("America/New_York", "2027-03-14T01:59:59", "2027-03-14T06:59:59Z"),
    ("America/New_York", "2027-03-14T02:30:00", "2027-03-14T07:30:00Z"),
    ("America/New_York", "2027-03-14T03:00:00", "2027-03-14T07:00:00Z"),
    ("America/New_York", "2027-11-07T00:59:59", "2027-11-07T04:59:59Z"),
    ("America/New_York", "2027-11-07T01:30:00", "2027-11-07T06:30:00Z"),
    ("America/New_York", "2027-11-07T02:00:00", "2027-11-07T07:00:00Z"),
    ("Australia/Lord_Howe", "2027-10-03T01:59:59", "2027-10-02T15:29:59Z"),
    ("Australia/Lord_Howe", "2027-10-03T02:00:00", "2027-10-02T15:30:00Z"),
    ("Australia/Lord_Howe", "2027-10-03T02:15:00", "2027-10-02T15:45:00Z"),
    ("Australia/Lord_Howe", "2027-10-03T02:30:00", "2027-10-02T15:30:00Z"),
    ("Australia/Lord_Howe", "2027-04-04T01:29:59", "2027-04-03T14:29:59Z"),
    ("Australia/Lord_Howe", "2027-04-04T01:30:00", "2027-04-03T15:00:00Z"),
    ("Australia/Lord_Howe", "2027-04-04T01:45:00", "2027-04-03T15:15:00Z"),
    ("Australia/Lord_Howe", "2027-04-04T02:00:00", "2027-04-03T15:30:00Z"),
    ("Asia/Kathmandu", "2027-03-28T02:30:00", "2027-03-27T20:45:00Z"),
    ("Asia/Kathmandu", "2027-10-31T02:30:00", "2027-10-30T20:45:00Z"),
    ("Pacific/Kiritimati", "2027-01-01T09:00:00", "2026-12-31T19:00:00Z"),
    ("Etc/GMT+12", "2027-01-01T09:00:00", "2027-01-01T21:00:00Z"),
  ]

  static func time(_ text: String) throws -> Timestamp {
    let date = try Date(text, strategy: .iso8601)
    return Timestamp(microseconds: Int64(date.timeIntervalSince1970) * 1_000_000)
  }

  static func zones(_ zones: [String?], in world: World) async throws {
    for (member, zone) in zip(world.members, zones) {
      try await world.pool.script(
        """
        UPDATE installation SET time_zone = \(zone.map { "'\($0)'" } ?? "NULL")
        WHERE installation_no = \(member.number.value)
        """)
    }
  }

  static func start(
    _ local: LocalSchedule, in world: World, throttle: Int32? = nil
  ) async throws -> (id: MessageID, open: OpenMessage) {
    let id = try await world.schedule(.local(local), throttle: throttle)
    try await world.pool.script("UPDATE message SET due_at = now() WHERE state = 6")
    let started = try await world.node.schedules.startDue(limit: 1, compose: world.compose(throttle: throttle))
    try #require(started == [id])
    return (id, try await world.open(id))
  }

  static let chunks = """
    SELECT coalesce(to_char(nullif(not_before, '-infinity') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'now')
      || ' ' || n || ' ' || encode(outcomes, 'hex')
    FROM message_chunk
    ORDER BY not_before, chunk_no
    """

  @Test("Around both turns of the clocks every zone's moment is what another implementation says")
  func switches() async throws {
    try await World.with(installations: 0) { world in
      for (zone, wall, moment) in Self.moments {
        let found = try await world.pool.texts(
          """
          SELECT to_char(not_before AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
          FROM zone_times('\(wall)') WHERE zone = lower('\(zone)')
          """)
        #expect(found == [moment], "\(zone) \(wall)")
      }
      // None is further than what the start and the expiry are reckoned with.
      let span = try await world.pool.texts(
        """
        SELECT bool_and(
          z.not_before - (t.wall AT TIME ZONE 'UTC') BETWEEN interval '-14 hours' AND interval '12 hours')::text
        FROM unnest('{2027-01-15 12:00,2027-07-15 12:00}'::timestamp[]) AS t (wall)
        CROSS JOIN LATERAL zone_times(t.wall) z
        """)
      #expect(span == ["true"])
    }
  }

  @Test("Chunks are made per moment; a zone that is no zone is the default one, whatever the device says")
  func chunksPerMoment() async throws {
    let zones = [
      "Europe/Berlin", "Europe/Paris", "America/New_York", "asia/kathmandu", "Mars/Olympus", nil, "GMT+2", "Factory",
      "Pacific/Kiritimati", "posix/Europe/Berlin",
    ]
    try await World.with(installations: zones.count) { world in
      try await Self.zones(zones, in: world)
      let at = try Self.time("2027-03-28T02:30:00Z")
      let (id, _) = try await Self.start(
        LocalSchedule(at: at, zonesPast: .skip, defaultZone: "america/new_york"), in: world)
      let progress = try #require(try await world.plan(page: 4))
      #expect(progress.isDone && progress.planned == Int64(zones.count))
      let sums = try await world.pool.texts(
        """
        SELECT to_char(not_before AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' ' || sum(n)
        FROM message_chunk GROUP BY not_before ORDER BY not_before
        """)
      #expect(
        sums == [
          "2027-03-27T12:30:00Z 1", "2027-03-27T20:45:00Z 1", "2027-03-28T01:30:00Z 2", "2027-03-28T06:30:00Z 6",
        ])
      let record = try await world.record(id)
      #expect(record.state == .sending && record.isPlanned)
      #expect(record.times.expiresAt == at.advanced(bySeconds: 12 * 3_600 + 3_600))
      #expect(try await world.pool.texts("SELECT DISTINCT zone FROM message_zone").isEmpty)
      // Nothing is handed out before its moment, and waiting completes nothing.
      #expect(try await world.node.openMessages(limit: 10).isEmpty)
      #expect(try await world.node.claimChunk(of: world.open(id), window: 10) == nil)
      #expect(try await world.node.sweepChunks(limit: 100) == 0)
      #expect(try await world.node.finish(world.open(id)) == false)
    }
  }

  @Test("Without a default zone it is UTC")
  func utc() async throws {
    try await World.with(installations: 1) { world in
      let (_, _) = try await Self.start(
        LocalSchedule(at: try Self.time("2027-03-28T02:30:00Z"), zonesPast: .now, defaultZone: nil), in: world)
      _ = try await world.plan()
      #expect(try await world.pool.texts(Self.chunks) == ["2027-03-28T02:30:00Z 1 00"])
    }
  }

  @Test("Zones that had passed the time are skipped visibly, or sent to at once", arguments: ZonesPast.allCases)
  func past(_ zonesPast: ZonesPast) async throws {
    try await World.with(installations: 3) { world in
      try await Self.zones(["Pacific/Kiritimati", "Etc/GMT+12", "Pacific/Kiritimati"], in: world)
      // Noon in UTC's zone: past in the east, ahead in the west.
      let at = World.now
      let (id, open) = try await Self.start(LocalSchedule(at: at, zonesPast: zonesPast, defaultZone: nil), in: world)
      _ = try await world.plan()
      let ledger = try await world.ledger(open)
      #expect(ledger.targeted == 3 && ledger.addsUp)
      let reasons = try await world.messages.outcomes(
        app: open.app, message: open.message, deadline: .now + .seconds(20)
      ).reasons
      switch zonesPast {
      case .skip:
        #expect(ledger.suppressed == 2 && ledger.pending == 1)
        #expect(reasons.contains { $0.reason == "zone_past" && $0.count == 2 && $0.outcomeClass == .suppressed })
        #expect(try await world.node.claimChunk(of: open, window: 10) == nil)
      case .now:
        #expect(ledger.pending == 3)
        #expect(try await world.node.claimChunk(of: open, window: 10)?.recipients.count == 2)
      }
      #expect(try await world.record(id).state == .sending)
    }
  }

  @Test("Where every zone was skipped the message completes")
  func allPast() async throws {
    try await World.with(installations: 1) { world in
      try await Self.zones(["Pacific/Kiritimati"], in: world)
      let (id, open) = try await Self.start(
        LocalSchedule(at: World.now, zonesPast: .skip, defaultZone: nil), in: world)
      _ = try await world.plan()
      #expect(try await world.node.openMessages(limit: 10).isEmpty)
      #expect(try await world.node.finish(open))
      #expect(try await world.record(id).state == .completed)
      #expect(try await world.ledger(open).suppressed == 1)
    }
  }

  @Test("What passes because the start was late isn't past: it is sent late")
  func lateStart() async throws {
    try await World.with(installations: 1) { world in
      try await Self.zones(["Etc/GMT-14"], in: world)
      // Chosen three hours before Kiritimati's time, started an hour after it.
      let at = World.now.advanced(bySeconds: 13 * 3_600)
      let id = try await world.schedule(.local(LocalSchedule(at: at, zonesPast: .skip, defaultZone: nil)))
      try await world.pool.script("UPDATE message SET chosen_at = now() - interval '3 hours'")
      #expect(try await world.node.schedules.startDue(limit: 1, compose: world.compose()) == [id])
      _ = try await world.plan()
      #expect(try await world.node.claimChunk(of: world.open(id), window: 10)?.recipients.count == 1)
    }
  }

  @Test("It can be canceled while zones wait: they are canceled, and the message is settled")
  func cancelsWaiting() async throws {
    try await World.with(installations: 2) { world in
      let (id, open) = try await Self.start(
        LocalSchedule(at: try Self.time("2027-03-28T02:30:00Z"), zonesPast: .skip, defaultZone: nil), in: world)
      _ = try await world.plan()
      _ = try await world.messages.cancel(environment: world.app.environment, id: id, deadline: .now + .seconds(20))
      #expect(try await world.node.sweepChunks(limit: 10) == 1)
      #expect(try await world.node.finishable() == [open])
      _ = try await world.node.finish(open)
      #expect(try await world.ledger(open).canceled == 2)
      #expect(try await world.record(id).isSettled)
    }
  }

  @Test("A push of it lives for its own time to live, not until the last zone's")
  func pushExpiry() async throws {
    try await World.with(installations: 1) { world in
      let (_, open) = try await Self.start(
        LocalSchedule(at: World.now.advanced(bySeconds: 3_600), zonesPast: .now, defaultZone: "etc/gmt-14"), in: world)
      _ = try await world.plan()
      let latest = World.now.advanced(bySeconds: 3_605)
      #expect(try #require(try await world.node.dispatchable(open)).expiresAt < latest)
      let single = try #require(try await world.node.claimSingles(of: world.app.number, limit: 1).first)
      #expect(single.message.expiresAt < latest)
    }
  }
}
