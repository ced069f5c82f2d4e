import FoundationEssentials
import KitsCore
import KitsStore
import Postgres
import TestSupport
import Testing

@testable import KitsDelivery

@Suite("Devices that came and went (T9)")
struct UninstallTests {
  static func today(_ world: World) async throws -> Day {
    Day(of: try await RetentionStore(pool: world.pool, owner: 9).now())
  }

  static func report(
    _ world: World, _ grouping: UninstallReport.Grouping = .none, back: Int = 30
  ) async throws -> UninstallReport {
    let today = try await today(world)
    return try await ReportStore(pool: world.pool).uninstalls(
      app: world.app.number, days: today.adding(-back)...today, grouping: grouping, deadline: .now + .seconds(20))
  }

  static func isGone(_ member: Installation, _ token: String? = nil) -> TokenFeedback {
    TokenFeedback(
      app: member.appNumber, installation: member.number, token: token ?? member.token.text ?? "",
      state: .unregistered, confirmedAt: nil)
  }

  static func update(
    _ world: World, _ member: Installation, revision: Int64, _ change: (inout DesiredState) -> Void
  ) async throws {
    var state = DesiredState()
    change(&state)
    let update = StateUpdate(
      app: member.appNumber, number: member.number, generation: member.generation, state: state,
      stateRevision: revision, stateHash: [UInt8(truncatingIfNeeded: revision)])
    guard case .applied = try await world.installations.update(update, deadline: .now + .seconds(20)) else {
      throw Surprise("not applied")
    }
  }

  static func returns(_ world: World, _ member: Installation, revision: Int64 = 2, token: Int) async throws {
    let text = PushToken(World.token(token), platform: .ios)
    try await update(world, member, revision: revision) { state in
      if let text { state.pushToken = .set(text) }
    }
  }

  /// As if everything had happened so long ago.
  static func age(_ world: World, by interval: String) async throws {
    try await world.pool.script(
      """
      UPDATE uninstall SET noticed_at = noticed_at - interval '\(interval)',
        day = ((now() - interval '\(interval)') AT TIME ZONE 'UTC')::date;
      UPDATE registration SET created_at = created_at - interval '\(interval)';
      UPDATE installation SET created_at = created_at - interval '\(interval)';
      """)
  }

  static func keeper(_ world: World, owner: Int64 = 1, interval: Duration = .zero) -> ReportKeeper {
    ReportKeeper(
      store: RetentionStore(pool: world.pool, owner: owner), rules: RetentionRules(days: 30), interval: interval,
      observe: { _ in }, isStopping: { false })
  }

  static func keep(_ world: World, owner: Int64 = 1) async throws {
    try await keeper(world, owner: owner).keep(now: try await RetentionStore(pool: world.pool, owner: 9).now())
  }

  @Test("A 410 is an uninstall of its day, with the version that the device had last; other days are zeros")
  func counts() async throws {
    try await World.with(installations: 3) { world in
      for (member, version) in zip(world.members, ["1.0", "2.0", "2.0"]) {
        try await Self.update(world, member, revision: 2) { $0.appVersion = .set(version) }
      }
      try await Self.update(world, world.members[0], revision: 3) { $0.appVersion = .set("1.1") }
      _ = try await world.node.record(world.members.prefix(2).map { Self.isGone($0) })
      // Said once more, and what isn't a 410: nothing is counted twice.
      _ = try await world.node.record([Self.isGone(world.members[0])])
      let suspect = TokenFeedback(
        app: world.app.number, installation: world.members[2].number, token: World.token(2), state: .suspect,
        confirmedAt: nil)
      _ = try await world.node.record([suspect])

      let report = try await Self.report(world, .version)
      #expect(report.days.count == 31)
      #expect(report.days.dropLast().allSatisfy { $0.counts == DeviceCounts() && $0.groups.isEmpty })
      let today = try #require(report.days.last)
      #expect(today.counts == DeviceCounts(installs: 3, uninstalls: 2) && today.counts.net == 1)
      #expect(
        today.groups.map(\.group) == [.version("1.1"), .version("2.0")]
          && today.groups.map(\.counts) == [
            DeviceCounts(installs: 1, uninstalls: 1), DeviceCounts(installs: 2, uninstalls: 1),
          ])
      let platforms = try #require(try await Self.report(world, .platform).days.last)
      #expect(platforms.groups.map(\.group) == [.platform(.ios)] && platforms.groups[0].counts == today.counts)
    }
  }

  @Test("A 410 for a token that moved on, was replaced or was registered since is no uninstall")
  func others() async throws {
    try await World.with(installations: 2) { world in
      let (moved, replaced) = (world.members[0], world.members[1])
      // Another installation registers the first one's token.
      _ = try await World.register(world.installations, token: World.token(0))
      try await Self.returns(world, replaced, token: 77)
      let late = TokenFeedback(
        app: world.app.number, installation: replaced.number, token: World.token(77), state: .unregistered,
        confirmedAt: Timestamp(microseconds: 0))
      _ = try await world.node.record([Self.isGone(moved), Self.isGone(replaced, World.token(1)), late])
      #expect(try await Self.report(world).total == DeviceCounts(installs: 3))
    }
  }

  @Test("Registering again within seven days takes the uninstall back, later it counts as an install")
  func takenBack() async throws {
    try await World.with(installations: 2) { world in
      _ = try await world.node.record(world.members.map { Self.isGone($0) })
      try await Self.age(world, by: "6 days 23 hours")
      // Anything but a token says nothing of whether the device is reached.
      try await Self.update(world, world.members[0], revision: 2) { $0.language = .set(.undetermined) }
      #expect(try await Self.report(world).total == DeviceCounts(installs: 2, uninstalls: 2))
      try await Self.returns(world, world.members[0], revision: 3, token: 0)
      #expect(try await Self.report(world).total == DeviceCounts(installs: 2, uninstalls: 1, takenBack: 1))

      try await Self.age(world, by: "7 days 1 hour")
      try await world.pool.script("UPDATE uninstall SET noticed_at = now() - interval '7 days 1 hour'")
      try await Self.returns(world, world.members[1], token: 1)
      let total = try await Self.report(world).total
      #expect(total == DeviceCounts(installs: 3, uninstalls: 1, takenBack: 1))
      #expect(try await Self.report(world, back: 0).total == DeviceCounts(installs: 1))
    }
  }

  @Test("Dying twice on one day counts once; the second time isn't taken back by the first return")
  func twice() async throws {
    try await World.with(installations: 1) { world in
      let member = world.members[0]
      _ = try await world.node.record([Self.isGone(member)])
      try await Self.returns(world, member, token: 5)
      #expect(try await Self.report(world).total == DeviceCounts(installs: 1, takenBack: 1))
      _ = try await world.node.record([Self.isGone(member, World.token(5))])
      #expect(try await Self.report(world).total == DeviceCounts(installs: 1, uninstalls: 1))
    }
  }

  @Test("A reinstall that brings the guid of the device is no new device and takes its uninstall back")
  func reinstall() async throws {
    try await World.with(installations: 0) { world in
      func register(_ token: Int) async throws -> Installation {
        try await World.register(world.installations, token: World.token(token)) { state in
          state.identifiers = .set([.guid: .set(Self.guid)])
        }
      }
      let first = try await register(1)
      _ = try await world.node.record([Self.isGone(first)])
      #expect(try await Self.report(world).total == DeviceCounts(installs: 1, uninstalls: 1))
      let second = try await register(2)
      #expect(try await Self.report(world).total == DeviceCounts(installs: 1, takenBack: 1))
      // And without an uninstall in between.
      _ = try await register(3)
      #expect(try await Self.report(world).total == DeviceCounts(installs: 1, takenBack: 1))
      #expect(second.number != first.number)

      // Gone for longer, the same device comes as a new one.
      try await world.pool.script(
        """
        UPDATE installation SET token_state = 3 WHERE installation_no = (SELECT installation_no FROM device_guid);
        DELETE FROM uninstall;
        """)
      _ = try await register(4)
      #expect(try await Self.report(world).total == DeviceCounts(installs: 2))
    }
  }

  @Test("What can't change any more is counted and goes; the report reads the same on the way")
  func rollUp() async throws {
    try await World.with(installations: 4) { world in
      try await Self.update(world, world.members[0], revision: 2) { $0.appVersion = .set("1.1") }
      _ = try await world.node.record(world.members.prefix(3).map { Self.isGone($0) })
      try await Self.returns(world, world.members[1], token: 9)
      try await Self.age(world, by: "8 days 1 hour")
      let before = try await Self.report(world, .version)
      #expect(before.total == DeviceCounts(installs: 4, uninstalls: 2, takenBack: 1))

      var keeper = Self.keeper(world)
      keeper.rowsPerStep = 1
      try await keeper.keep(now: try await RetentionStore(pool: world.pool, owner: 9).now())
      #expect(try await RetentionTests.count(world, "uninstall") == 0)
      #expect(try await Self.report(world, .version) == before)
      try await RetentionTests.sweeper(world).sweep(now: try await RetentionTests.inDays(0, world))
      #expect(try await RetentionTests.count(world, "registration") == 0)
      #expect(try await Self.report(world, .version) == before)
      try await Self.keep(world)
      #expect(try await Self.report(world, .version) == before)

      try await Self.keeper(world).keep(now: try await RetentionTests.inDays(380, world))
      #expect(try await RetentionTests.count(world, "device_day") == 2)
      try await Self.keeper(world).keep(now: try await RetentionTests.inDays(393, world))
      #expect(try await RetentionTests.count(world, "device_day") == 0)
    }
  }

  @Test("Uninstalls younger than eight days stay, because they can still be taken back")
  func stays() async throws {
    try await World.with(installations: 1) { world in
      _ = try await world.node.record([Self.isGone(world.members[0])])
      try await Self.age(world, by: "7 days 23 hours")
      try await Self.keep(world)
      #expect(try await RetentionTests.count(world, "uninstall") == 1)
    }
  }

  @Test("Fifty versions are told apart, the others are one group")
  func manyVersions() async throws {
    try await World.with(installations: 0) { world in
      let today = try await Self.today(world)
      try await world.pool.script(
        """
        INSERT INTO device_day (app_no, day, platform, app_version, installs)
        SELECT \(world.app.number.value), DATE '1970-01-01' + \(today.number), 1, '1.' || v, 100 - v
        FROM generate_series(1, 53) v
        """)
      let report = try await Self.report(world, .version)
      let groups = try #require(report.days.last).groups
      #expect(groups.count == Limits.reportGroups + 1)
      #expect(groups.last?.group == .rest && groups.last?.counts.installs == 49 + 48 + 47)
      #expect(groups.reduce(0) { $0 + $1.counts.installs } == report.total.installs)
    }
  }

  private static var guid: IdentifierReport {
    IdentifierReport(available: true, limited: false, hash: String(repeating: "ab", count: 32), message: nil)
  }
}
