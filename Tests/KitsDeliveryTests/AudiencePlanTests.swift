import KitsCore
import KitsStore
import Postgres
import TestSupport
import Testing

@Suite("Planning for an audience")
struct AudiencePlanTests {
  @Test("A filter's members are planned page by page, and sending starts with the first of them (K8)")
  func filter() async throws {
    try await World.with(installations: 25) { world in
      try await world.tag()
      let (id, open) = try await world.send(.filter(.half("a")))
      let claim = try #require(try await world.node.claimPlan())
      let first = try #require(try await world.node.planPage(claim, scanWindow: 1_000, pageLimit: 5))
      #expect(first.planned == 5 && !first.isDone)
      #expect(try await world.record(id).state == .sending)
      #expect(try await world.node.claimChunk(of: open, window: 10)?.recipients.count == 5)
      while try #require(try await world.node.planPage(claim, scanWindow: 1_000, pageLimit: 5)).isDone == false {}
      #expect(try await world.planned(open) == Array(stride(from: 0, to: 25, by: 2)))
      let record = try await world.record(id)
      #expect(record.matched == 13 && record.target.kind == .filter && record.target.filterJSON != nil)
    }
  }

  @Test("A page looks at so many rows and no more, so a sparse audience takes short pages")
  func sparse() async throws {
    try await World.with(installations: 20) { world in
      try await world.tag()
      let (_, open) = try await world.send(.filter(.condition(.tag(key: "n", .one("17")))))
      let claim = try #require(try await world.node.claimPlan())
      var pages: [Int64] = []
      while true {
        let page = try #require(try await world.node.planPage(claim, scanWindow: 6, pageLimit: 10))
        pages.append(page.planned)
        if page.isDone { break }
      }
      #expect(pages == [0, 0, 1, 1])
      #expect(try await world.planned(open) == [17])
    }
  }

  @Test("Everything at once is one page when it is quick; when it isn't, nothing happened and pages do it")
  func whole() async throws {
    try await World.with(installations: 20) { world in
      try await world.tag()
      try await world.fill(20_000, user: "u")
      let rare = Filter.condition(.tag(key: "n", .one("17")))
      let (_, open) = try await world.send(.filter(rare))
      let claim = try #require(try await world.node.claimPlan())
      let audience = try #require(claim.audience)
      let attempt = try await world.node.planWhole(audience, claim, within: .seconds(20), pageLimit: 10)
      guard case .page(let page) = attempt else { throw Surprise("\(attempt)") }
      #expect(page.isDone && page.planned == 1)
      #expect(try await world.planned(open) == [17])

      let slow = Filter.any((0..<100).map { .condition(.tagOrder(key: "n", .lt, DecimalText(-$0 - 1))) } + [rare])
      let (second, _) = try await world.send(.filter(slow))
      let later = try #require(try await world.node.claimPlan())
      let tried = try await world.node.planWhole(
        try #require(later.audience), later, within: .milliseconds(1), pageLimit: 10)
      #expect(tried == .tooLong)
      #expect(try await world.record(second).state == .planning)
      var last: PlanProgress?
      repeat {
        last = try await world.node.planPage(later, scanWindow: 6_000, pageLimit: 10)
      } while last?.isDone == false
      #expect(last?.planned == 1)
    }
  }

  @Test("Whom it is for is fixed when planning starts: another node goes on with it, whatever the segment is by then")
  func fixed() async throws {
    try await World.with(installations: 20) { world in
      try await world.tag()
      let segment = try await world.segment(.half("a"))
      let (id, open) = try await world.send(.segments([segment]))
      let first = try #require(try await world.node.claimPlan())
      _ = try await world.node.planPage(first, scanWindow: 1_000, pageLimit: 3)
      try await world.replace(segment, by: .half("b"))
      try await world.expireLeases()
      let other = DeliveryStore(pool: world.pool, owner: 2, leaseSeconds: 60)
      let second = try #require(try await other.claimPlan())
      #expect(second.audience?.filter == first.audience?.filter && second.audience?.at == first.audience?.at)
      #expect(second.audience?.isUntouched == false)
      #expect(try await world.node.planPage(first, scanWindow: 1_000, pageLimit: 3) == nil)
      #expect(try await other.planPage(second, scanWindow: 1_000, pageLimit: 100)?.isDone == true)
      #expect(try await world.planned(open) == Array(stride(from: 0, to: 20, by: 2)))
      #expect(try await world.record(id).target.segments == [segment])
      // The same as "everything at once" that comes too late.
      let late = try #require(second.audience)
      #expect(try await other.planWhole(late, second, within: .seconds(5), pageLimit: 10) == .gone)
    }
  }

  @Test("Until planning starts a segment may change, and what it asks then counts: who came since is asked, too")
  func changed() async throws {
    try await World.with(installations: 10) { world in
      try await world.tag()
      let segment = try await world.segment(.ios)
      let (_, open) = try await world.send(.segments([segment]))
      try await world.replace(segment, by: .not(.half("a")))
      let heir = try await World.register(world.installations, token: World.token(99))
      #expect(try await world.plan()?.planned == 6)
      // It depends on the user now: each delivery is held to its binding, the newcomer's, too.
      let held = try await world.pool.texts(
        """
        SELECT u.no::text FROM message_chunk k CROSS JOIN unnest(k.members, k.binding_nos) AS u (no, binding)
        WHERE u.binding IS NOT NULL
        """)
      #expect(held.count == 6 && held.contains(String(heir.number.value)))
      #expect(try await world.planned(open) == [1, 3, 5, 7, 9])
    }
  }

  @Test("Fenced once is fenced for good, though the segment doesn't ask about the user any more")
  func fenced() async throws {
    try await World.with(installations: 4) { world in
      let segment = try await world.segment(.half("a"))
      _ = try await world.send(.segments([segment]), dependsOnUser: true)
      try await world.replace(segment, by: .ios)
      #expect(try await world.plan()?.planned == 4)
      #expect(try await world.pool.texts("SELECT fenced::text FROM message") == ["true"])
      #expect(try await world.pool.texts("SELECT (binding_nos IS NOT NULL)::text FROM message_chunk") == ["true"])
    }
  }

  @Test("A segment that was deleted by force refuses the message that needed it, before anything is sent")
  func deletedSegment() async throws {
    try await World.with(installations: 4) { world in
      let (kept, doomed) = (try await world.segment(.ios), try await world.segment(.half("a")))
      let (id, open) = try await world.send(.segments([kept]), excluded: [doomed])
      #expect(try await world.delete(doomed, isForced: false) == false)
      #expect(try await world.delete(doomed, isForced: true) == true)
      let claim = try #require(try await world.node.claimPlan())
      #expect(claim.source == .refused(.segmentDeleted))
      let record = try await world.record(id)
      #expect(record.state == .refused && record.isSettled && record.isPlanned && record.matched == 0)
      #expect(record.refusal?.reason == .segmentDeleted && record.refusal?.foundDigest == nil)
      let ledger = try await world.ledger(open)
      #expect(ledger.targeted == 0 && ledger.addsUp)
      #expect(try await world.node.claimPlan() == nil)
      #expect(try await world.delete(kept, isForced: false) == true)
    }
  }

  @Test("Once it is fixed the message needs its segments no more, though they are shown as used until it is planned")
  func deletedLater() async throws {
    try await World.with(installations: 4) { world in
      let segment = try await world.segment(.ios)
      let (_, open) = try await world.send(.segments([segment]))
      let claim = try #require(try await world.node.claimPlan())
      #expect(try await world.delete(segment, isForced: true) == true)
      #expect(try await world.node.planPage(claim, scanWindow: 100, pageLimit: 100)?.isDone == true)
      #expect(try await world.planned(open) == [0, 1, 2, 3])
    }
  }

  @Test("Test devices are those that were marked and can be reached (K8)")
  func testDevices() async throws {
    try await World.with(installations: 6) { world in
      try await world.tag()
      let (nobody, _) = try await world.send(.testDevices)
      #expect(try await world.plan()?.planned == 0)
      #expect(try await world.record(nobody).state == .completed)
      #expect(try await world.record(nobody).matched == 0)
      let marked = [1, 2, 4, 5].map { "(\(world.app.number.value), \(world.members[$0].number.value))" }
      try await world.pool.script(
        """
        INSERT INTO test_device (app_no, installation_no) VALUES \(marked.joined(separator: ", "));
        UPDATE installation SET push_preference = false WHERE installation_no = \(world.members[5].number.value)
        """)
      let (_, open) = try await world.send(.testDevices)
      #expect(try await world.plan(page: 2)?.planned == 3)
      #expect(try await world.planned(open) == [1, 2, 4])
      let halfA = try await world.segment(.half("a"))
      let (_, rest) = try await world.send(.testDevices, excluded: [halfA])
      #expect(try await world.plan()?.planned == 1)
      #expect(try await world.planned(rest) == [1])
    }
  }

  @Test("Of everyone those of a segment are left out, and the anonymous as the segment takes them")
  func exclusion() async throws {
    try await World.with(installations: 6) { world in
      try await world.tag()
      let users = try await world.segment(.half("a"), includesAnonymous: false)
      try await world.pool.script(
        "UPDATE installation SET external_id = 'u' WHERE installation_no = \(world.members[2].number.value)")
      let (_, open) = try await world.send(.everyone, excluded: [users])
      #expect(try await world.plan()?.planned == 5)
      #expect(try await world.planned(open) == [0, 1, 3, 4, 5])
    }
  }

  @Test("With verified_only an audience has only proven bindings")
  func verifiedOnly() async throws {
    try await World.with(installations: 4) { world in
      try await world.bind(world.members[1], to: "u", verified: true)
      try await world.bind(world.members[2], to: "v")
      let (_, open) = try await world.send(.filter(.condition(.identified(true))), isVerifiedOnly: true)
      #expect(try await world.plan()?.planned == 1)
      #expect(try await world.planned(open) == [1])
    }
  }

  @Test("Two nodes plan different messages at once")
  func together() async throws {
    try await World.with(installations: 6) { world in
      try await world.tag()
      let (_, one) = try await world.send(.filter(.half("a")))
      let (_, two) = try await world.send(.filter(.half("b")))
      let other = DeliveryStore(pool: world.pool, owner: 2, leaseSeconds: 60)
      let first = try #require(try await world.node.claimPlan())
      let second = try #require(try await other.claimPlan())
      #expect(first.message == one.message && second.message == two.message)
      async let left = world.node.planPage(first, scanWindow: 100, pageLimit: 100)
      async let right = other.planPage(second, scanWindow: 100, pageLimit: 100)
      #expect(try await (left?.planned, right?.planned) == (3, 3))
    }
  }

  @Test("Whom a message was for is forgotten with it")
  func forgotten() async throws {
    try await World.with(installations: 2) { world in
      let segment = try await world.segment(.ios)
      let (_, _) = try await world.send(.segments([segment]))
      _ = try await world.plan()
      try await world.pool.script(
        """
        UPDATE message SET settled = true, message_no = 1;
        DELETE FROM message_chunk
        """)
      _ = try await RetentionStore(pool: world.pool, owner: 1).forgetMessages(
        before: Timestamp(microseconds: 1_700_000_000_000_000), oldest: .max, limit: 10)
      let left = "SELECT 'x' FROM message_audience UNION ALL SELECT 'y' FROM message_segment"
      #expect(try await world.pool.texts("SELECT 'm' FROM message") == [])
      #expect(try await world.pool.texts(left) == [])
    }
  }
}

extension PlanClaim {
  fileprivate var audience: PlanAudience? {
    if case .audience(let audience) = source { audience } else { nil }
  }
}
