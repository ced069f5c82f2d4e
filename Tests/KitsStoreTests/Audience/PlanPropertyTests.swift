import Foundation
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsStore

@Suite("Whom a plan finds")
struct PlanPropertyTests {
  private static let now: Int64 = 1_800_000_000_000_000
  private static let app = AppNumber(1)

  /// Another one each time, unless KITS_TEST_SEED asks for one again.
  private static let seed: UInt64 = {
    let asked = ProcessInfo.processInfo.environment["KITS_TEST_SEED"].flatMap(UInt64.init)
    let seed = asked ?? UInt64.random(in: 0..<1_000_000_000)
    print("plans: KITS_TEST_SEED=\(seed)")
    return seed
  }()

  @Test("is everyone whom the filter means and who can be reached, each once, whatever the pages are (K8)")
  func filters() async throws {
    try await withPopulation { pool, people, random in
      var random = random
      for round in 0..<40 {
        var filters = RandomFilter(random: random, now: Self.now)
        let tree = filters.tree(depth: 5)
        random = filters.random
        let found = try await Self.plan(.filter(tree), [], pool, &random)
        Self.check(found, people, "tree \(round)") { Reference(now: Self.now).matches(tree, $0) }
      }
    }
  }

  @Test("is everyone of a segment that is asked for and of none that is left out, as each takes the anonymous")
  func segments() async throws {
    try await withPopulation { pool, people, random in
      var random = random
      for round in 0..<20 {
        var filters = RandomFilter(random: random, now: Self.now)
        var segments: [(id: SegmentID, filter: Filter)] = []
        for _ in 0..<4 {
          let filter = filters.tree(depth: 4)
          let includesAnonymous = Bool.random(using: &filters.random)
          let id = try await Self.segment(filter, includesAnonymous, pool)
          segments.append((id, includesAnonymous ? filter : filter.ofIdentifiedOnly))
        }
        random = filters.random
        let (included, excluded) = (segments.prefix(2), segments.suffix(2))
        let found = try await Self.plan(.segments(included.map(\.id)), excluded.map(\.id), pool, &random)
        let reference = Reference(now: Self.now)
        Self.check(found, people, "segments \(round)") { person in
          included.contains { reference.matches($0.filter, person) }
            && !excluded.contains { reference.matches($0.filter, person) }
        }
      }
    }
  }

  @Test("the largest audience that segments can make is planned, too")
  func largest() async throws {
    try await withPopulation { pool, people, random in
      var random = random
      var leaf = Filter.any((0..<Limits.filterLeaves).map { .condition(.tag(key: "plan", .one("value \($0)"))) })
      for _ in 2..<Limits.filterDepth { leaf = .not(leaf) }
      var ids: [SegmentID] = []
      for _ in 0..<2 * Limits.segmentsPerAudience.upperBound { ids.append(try await Self.segment(leaf, false, pool)) }
      let half = Limits.segmentsPerAudience.upperBound
      let found = try await Self.plan(.segments(Array(ids.prefix(half))), Array(ids.suffix(half)), pool, &random)
      #expect(found.isEmpty && !people.isEmpty)
    }
  }

  private static func check(
    _ found: [Int64], _ people: [Person], _ what: String, _ isMeant: (Person) -> Bool
  ) {
    let expected = people.filter { isReachable($0) && isMeant($0) }.map(\.number)
    #expect(found == expected, "\(what), seed \(seed)")
  }

  /// By `withPopulation`.
  private static func isReachable(_ person: Person) -> Bool {
    person.platform == .ios && person.number % 7 != 0 && person.number % 11 != 0
  }

  /// Everyone has a token and permission; of some another has the token, others switched pushes off.
  private func withPopulation(_ body: (ConnectionPool, [Person], SplitMix) async throws -> Void) async throws {
    var random = SplitMix(seed: Self.seed)
    let people = (1...400).map { Person.random($0, now: Self.now, using: &random) }
    try await withDatabase { url in
      var configuration = PoolConfiguration(url: url)
      // As the server has it.
      configuration.settings += [("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off")]
      let pool = ConnectionPool(configuration)
      try await pool.script(
        """
        INSERT INTO project (project_id, name) VALUES (gen_random_uuid(), 'p');
        INSERT INTO environment (environment_id, project_no, name) VALUES (gen_random_uuid(), 1, 'e');
        INSERT INTO app (app_id, environment_no, name, bundle_id, platforms, public_key)
        VALUES (gen_random_uuid(), 1, 'a', 'b', '{1}', 'k');
        """)
      try await Person.store(people, in: pool)
      try await pool.script(
        """
        UPDATE installation
        SET push_token = md5(installation_no::text), token_state = 1, permission = 3,
          push_preference = installation_no % 11 <> 0;
        INSERT INTO token_owner (app_no, token, installation_no, registered_at)
        SELECT app_no, push_token, CASE WHEN installation_no % 7 = 0 THEN 0 ELSE installation_no END, now()
        FROM installation;
        """)
      try await body(pool, people, random)
      await pool.close()
    }
  }

  private static func segment(
    _ filter: Filter, _ includesAnonymous: Bool, _ pool: ConnectionPool
  ) async throws -> SegmentID {
    let id = SegmentID(UUID())
    let segment = NewSegment(
      id: id, app: app, createdBy: ServerKeyID(UUID()),
      definition: SegmentDefinition(name: "s", filter: filter, includesAnonymous: includesAnonymous), idempotency: nil)
    let answer = try await SegmentStore(pool: pool).create(
      segment, call: .commandLine(.segmentCreated), deadline: .now + .seconds(20))
    guard case .created = answer else { throw TestFailure("\(answer)") }
    return id
  }

  /// Plans in pages of any size, perhaps on two nodes, as of `now`; answers the members in their order.
  private static func plan(
    _ target: MessageTarget, _ excluded: [SegmentID], _ pool: ConnectionPool, _ random: inout SplitMix
  ) async throws -> [Int64] {
    let id = MessageID(UUID())
    let message = NewMessage(
      id: id, app: app, createdBy: ServerKeyID(UUID()), target: target, excluded: excluded,
      contentJSON: Array("{}".utf8), payloads: RenderedPayloads(base: Array("{}".utf8), localized: []), kind: .alert,
      priority: .high, ttlSeconds: 600, collapseID: nil, onUnknown: .resend, idempotency: nil)
    _ = try await MessageStore(pool: pool).create(message, deadline: .now + .seconds(20))
    try await pool.script(
      "UPDATE message_audience SET fixed_at = to_timestamp(\(now / 1_000_000)) WHERE message_id = '\(id.text)'")
    let nodes = [1, 2].map { DeliveryStore(pool: pool, owner: $0, leaseSeconds: 60) }
    var claim = try #require(try await nodes[0].claimPlan())
    var node = nodes[0]
    let pageLimit = Int32.random(in: 1...60, using: &random)
    if case .audience(let audience) = claim.source, Bool.random(using: &random) {
      let attempt = try await node.planWhole(audience, claim, within: .seconds(20), pageLimit: pageLimit)
      guard case .page(let page) = attempt else { throw TestFailure("\(attempt)") }
      if page.isDone { return try await members(of: id, pool) }
    }
    while true {
      let window = Int64.random(in: 1...100, using: &random)
      let page = try await node.planPage(claim, scanWindow: window, pageLimit: pageLimit)
      if try #require(page).isDone { return try await members(of: id, pool) }
      guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
      try await pool.script("UPDATE message SET plan_lease_until = '-infinity' WHERE NOT plan_done")
      node = nodes[Int.random(in: 0...1, using: &random)]
      claim = try #require(try await node.claimPlan())
    }
  }

  private static func members(of id: MessageID, _ pool: ConnectionPool) async throws -> [Int64] {
    let statement = DynamicStatement<Int64>(
      name: "members",
      sql: """
        SELECT u.no
        FROM message m
        JOIN message_chunk k USING (app_no, message_no)
        CROSS JOIN unnest(k.members) AS u (no)
        WHERE m.message_id = '\(id.text)'
        ORDER BY 1
        """, parameters: Parameters(), decode: Person.number)
    return try await pool.run(statement)
  }
}
