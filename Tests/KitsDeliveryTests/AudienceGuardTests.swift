import KitsCore
@testable import KitsStore
import Postgres
import TestSupport
import Testing

@Suite("Guards hold a message until its recipients are known")
struct AudienceGuardTests {
  private static func most(_ count: Int64) -> AudienceGuards { AudienceGuards(maxRecipients: count, expected: nil) }

  private static func expecting(_ digest: AudienceDigest, _ count: Int64? = nil) -> AudienceGuards {
    AudienceGuards(maxRecipients: nil, expected: ExpectedAudience(digest: digest, count: count))
  }

  @Test("Nothing can be taken before the last page; then everything can")
  func held() async throws {
    try await World.with(installations: 20) { world in
      let (id, open) = try await world.send(.filter(.ios), guards: Self.most(20))
      let claim = try #require(try await world.node.claimPlan())
      while true {
        #expect(try await world.node.claimChunk(of: open, window: 10) == nil)
        #expect(try await world.node.openMessages(limit: 10).isEmpty)
        #expect(try await world.record(id).state == .planning)
        let page = try #require(try await world.node.planPage(claim, scanWindow: 100, pageLimit: 6))
        if page.isDone { break }
      }
      #expect(try await world.record(id).state == .sending)
      #expect(try await world.node.openMessages(limit: 10) == [open])
      #expect(try await world.node.claimChunk(of: open, window: 10) != nil)
      #expect(try await world.ledger(open).targeted == 20)
    }
  }

  @Test("One recipient too many refuses the message, with the page that finds it; no trace of the others is left")
  func tooMany() async throws {
    try await World.with(installations: 20) { world in
      let (id, open) = try await world.send(.everyone, guards: Self.most(13))
      let claim = try #require(try await world.node.claimPlan())
      #expect(try await world.node.planPage(claim, scanWindow: 100, pageLimit: 6)?.planned == 6)
      #expect(try await world.ledger(open).targeted == 6)
      #expect(try await world.node.planPage(claim, scanWindow: 100, pageLimit: 6)?.planned == 12)
      let last = try #require(try await world.node.planPage(claim, scanWindow: 100, pageLimit: 6))
      #expect(last == PlanProgress.refused(.maxRecipientsExceeded))
      let record = try await world.record(id)
      #expect(record.state == .refused && record.isSettled && record.times.completedAt == nil)
      #expect(record.refusal?.reason == .maxRecipientsExceeded && record.refusal?.foundCount == 18)
      #expect(record.matched == 18 && record.guards.maxRecipients == 13)
      #expect(try await world.pool.texts("SELECT 'x' FROM message_chunk") == [])
      let ledger = try await world.ledger(open)
      #expect(ledger.targeted == 0 && ledger.addsUp)
      #expect(try await world.node.claimPlan() == nil)
      #expect(try await world.cancel(id) == .refused)
      #expect(try await world.record(id).state == .refused)
    }
  }

  @Test("A frozen audience is the one that was previewed, in pages of any size", arguments: [1, 3, 100] as [Int32])
  func frozen(page: Int32) async throws {
    try await World.with(installations: 11) { world in
      try await world.tag()
      let preview = try await world.preview(.half("a"))
      #expect(preview.count == 6)
      let (id, open) = try await world.send(
        .filter(.half("a")), guards: Self.expecting(preview.digest, preview.count))
      #expect(try await world.plan(page: page)?.planned == 6)
      #expect(try await world.record(id).state == .sending)
      #expect(try await world.planned(open) == [0, 2, 4, 6, 8, 10])
    }
  }

  @Test(
    "A moving audience is refused: one more, one less, or another",
    arguments: [
      ("'a'", 7), ("'b'", 5),
      ("CASE WHEN tags ->> 'n' IN ('2', '3') THEN chr(195 - ascii(tags ->> 'half')) ELSE tags ->> 'half' END", 6),
    ])
  func moving(half: String, found: Int64) async throws {
    try await World.with(installations: 11) { world in
      try await world.tag()
      let preview = try await world.preview(.half("a"))
      let (id, open) = try await world.send(.filter(.half("a")), guards: Self.expecting(preview.digest))
      // One of the other half joins, one leaves, or two change places.
      let who = found == 7 ? "IN ('1')" : found == 5 ? "IN ('2')" : "IN ('2', '3')"
      try await world.pool.script(
        "UPDATE installation SET tags = tags || jsonb_build_object('half', \(half)) WHERE tags ->> 'n' \(who)")
      let now = try await world.preview(.half("a"))
      #expect(now.count == found && now.digest != preview.digest)
      #expect(try await world.plan(page: 4) == PlanProgress.refused(.audienceChanged))
      let record = try await world.record(id)
      #expect(record.state == .refused && record.refusal?.reason == .audienceChanged)
      #expect(record.refusal?.foundCount == found && record.refusal?.foundDigest == now.digest)
      #expect(record.guards.expected?.digest == preview.digest)
      #expect(try await world.ledger(open).targeted == 0)
      #expect(try await world.pool.texts("SELECT 'x' FROM message_chunk") == [])
    }
  }

  @Test("A wrong count refuses, too; and nobody is an audience like another")
  func counts() async throws {
    try await World.with(installations: 3) { world in
      let preview = try await world.preview(.ios)
      let (wrong, _) = try await world.send(.filter(.ios), guards: Self.expecting(preview.digest, 4))
      #expect(try await world.plan() == PlanProgress.refused(.audienceChanged))
      #expect(try await world.record(wrong).refusal?.foundDigest == preview.digest)
      let (empty, _) = try await world.send(.filter(.half("x")), guards: Self.expecting(AudienceDigest(0), 0))
      #expect(try await world.plan()?.refusal == nil)
      let record = try await world.record(empty)
      #expect(record.state == .completed && record.matched == 0)
      let (some, _) = try await world.send(.filter(.half("x")), guards: Self.expecting(preview.digest))
      #expect(try await world.plan() == PlanProgress.refused(.audienceChanged))
      #expect(try await world.record(some).state == .refused)
    }
  }

  @Test("A short list with a guard is not sent past it", arguments: [1, 2] as [Int64])
  func named(most: Int64) async throws {
    try await World.with(installations: 2) { world in
      let (id, open) = try await world.send(.installations(world.members.map(\.id)), guards: Self.most(most))
      #expect(try await world.node.claimChunk(of: open, window: 10) == nil)
      #expect(try await world.record(id).state == .planning)
      #expect(try await world.plan()?.refusal == (most == 2 ? nil : .maxRecipientsExceeded))
      #expect(try await world.record(id).state == (most == 2 ? .sending : .refused))
      #expect(try await world.ledger(open).targeted == (most == 2 ? 2 : 0))
    }
  }

  @Test("A single recipient behind a guard goes out as such once it is planned")
  func single() async throws {
    try await World.with(installations: 1) { world in
      _ = try await world.send(.installations([world.members[0].id]), guards: Self.most(1))
      #expect(try await world.node.claimSingles(of: world.app.number, limit: 10).isEmpty)
      #expect(try await world.plan()?.planned == 1)
      #expect(try await world.node.claimSingles(of: world.app.number, limit: 10).count == 1)
    }
  }

  @Test("A cancel wins at any page, and what was planned is counted as canceled", arguments: [0, 1, 2, 3, 4])
  func canceled(pages: Int) async throws {
    try await World.with(installations: 20) { world in
      let (id, open) = try await world.send(.filter(.ios), guards: Self.most(20))
      let claim = try #require(try await world.node.claimPlan())
      for _ in 0..<pages { _ = try await world.node.planPage(claim, scanWindow: 100, pageLimit: 6) }
      #expect(try await world.cancel(id) == (pages == 4 ? .sending : .planning))
      #expect(try await world.node.planPage(claim, scanWindow: 100, pageLimit: 6) == nil)
      #expect(try await world.node.claimPlan() == nil)
      _ = try await world.node.sweepChunks(limit: 100)
      for message in try await world.node.finishable() { _ = try await world.node.finish(message) }
      let ledger = try await world.ledger(open)
      #expect(ledger.addsUp && ledger.targeted == Int64(min(20, 6 * pages)) && ledger.canceled == ledger.targeted)
      let record = try await world.record(id)
      #expect(record.state == .canceled && record.isSettled)
    }
  }

  @Test("Pages and a cancel at the same moment: whoever comes first, every recipient is accounted for")
  func race() async throws {
    try await World.with(installations: 30) { world in
      for round in 0..<12 {
        let (id, open) = try await world.send(.filter(.ios), guards: Self.most(round % 3 == 0 ? 10 : 30))
        let claim = try #require(try await world.node.claimPlan())
        async let planning = Self.planToTheEnd(claim, world)
        for _ in 0..<round { _ = try await world.record(id) }
        _ = try await world.cancel(id)
        _ = try await planning
        _ = try await world.node.sweepChunks(limit: 100)
        for message in try await world.node.finishable() { _ = try await world.node.finish(message) }
        let record = try await world.record(id)
        let ledger = try await world.ledger(open)
        #expect(record.isSettled && [.canceled, .refused].contains(record.state))
        #expect(ledger.addsUp && ledger.canceled == ledger.targeted && ledger.targeted == record.recipients)
      }
    }
  }

  private static func planToTheEnd(_ claim: PlanClaim, _ world: World) async throws {
    while let page = try await world.node.planPage(claim, scanWindow: 100, pageLimit: 4), !page.isDone {}
  }

  @Test("What expires while it is held back expires, and the message completes")
  func expired() async throws {
    try await World.with(installations: 20) { world in
      let (id, open) = try await world.send(.filter(.ios), guards: Self.most(20))
      let claim = try #require(try await world.node.claimPlan())
      _ = try await world.node.planPage(claim, scanWindow: 100, pageLimit: 6)
      try await world.pool.script("UPDATE message SET expires_at = now() - interval '1 second'")
      try await world.expireLeases()
      try await world.node.endOverduePlansAndRetries()
      #expect(try await world.node.claimChunk(of: open, window: 10) == nil)
      #expect(try await world.node.sweepChunks(limit: 100) == 1)
      #expect(try await world.node.finish(open))
      let ledger = try await world.ledger(open)
      #expect(ledger.addsUp && ledger.expired == 6)
      #expect(try await world.record(id).state == .completed)
    }
  }
}

extension PlanProgress {
  /// As a page answers that refused its message.
  fileprivate static func refused(_ reason: MessageRefusal.Reason) -> PlanProgress {
    PlanProgress(isDone: true, planned: 0, chunks: 0, refusal: reason)
  }
}
