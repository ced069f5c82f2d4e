import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsStore

@Suite("How many an audience has")
struct PreviewTests {
  private static let app = AppNumber(1)
  private static let everyone = Filter.everyone
  private static let pro = Filter.condition(.tag(key: "plan", .one("pro")))

  @Test("everyone is counted: by platform and identity, with those that can be reached")
  func exact() async throws {
    try await withAudience(400) { pool in
      let preview = try await Self.preview(Self.everyone, pool)
      #expect(preview.count() == .init(matching: 400, sendable: 80))
      #expect(preview.count { $0.platform == .ios } == .init(matching: 200, sendable: 80))
      #expect(preview.count { $0.platform == .android } == .init(matching: 200, sendable: 0))
      #expect(preview.count(\.isIdentified) == .init(matching: 200, sendable: 0))
      #expect(preview.count { !$0.isIdentified } == .init(matching: 200, sendable: 80))
      #expect(preview.sample.count == Limits.previewSample && Set(preview.sample).count == Limits.previewSample)
      let pros = try await Self.preview(Self.pro, pool)
      #expect(pros.count().matching == 134)
      let nobody = try await Self.preview(.any([]), pool)
      #expect(nobody.count() == .init() && nobody.groups.isEmpty && nobody.sample.isEmpty)
      #expect(nobody.method == .exact(AudienceDigest(0)))
      #expect(nobody.evaluatedAt.seconds > 1_700_000_000)
    }
  }

  @Test("the sample is of those that match, and has all of a few")
  func sample() async throws {
    try await withAudience(400) { pool in
      let two = Filter.condition(.text(.externalID, .among(["user 8", "user 16", "nobody"])))
      let preview = try await Self.preview(two, pool)
      let ids = try await Self.texts(
        "SELECT installation_id::text FROM installation WHERE external_id IN ('user 8', 'user 16')", pool)
      #expect(Set(preview.sample.map(\.text)) == Set(ids) && ids.count == 2)
    }
  }

  @Test("the digest is that of the reachable members: it changes with each of them, and parts add up")
  func digest() async throws {
    try await withAudience(400) { pool in
      let whole = try await Self.digest(Self.everyone, pool)
      let parts = [try await Self.digest(Self.pro, pool), try await Self.digest(.not(Self.pro), pool)]
      #expect(parts[0] + parts[1] == whole && parts[0] != parts[1])
      #expect(try await Self.digest(.all([Self.everyone, .not(.any([]))]), pool) == whole)
      try await pool.script(
        "UPDATE installation SET push_preference = false WHERE installation_no = (SELECT min(installation_no) "
          + "FROM installation i JOIN token_owner o USING (app_no, installation_no) WHERE i.reachable)")
      #expect(try await Self.digest(Self.everyone, pool) != whole)
      // A hash whose sum is negative, and one beyond 64 bits.
      #expect(AudienceDigest(sum: "-1")?.value == UInt64.max)
      #expect(AudienceDigest(sum: "18446744073709551617")?.value == 1)
      #expect(AudienceDigest(sum: "") == nil && AudienceDigest(sum: "1.5") == nil)
    }
  }

  @Test("a node counts so many audiences at a time, and has room again afterwards")
  func slots() async throws {
    let slots = PreviewSlots(limit: 2)
    try await slots.use { () throws(PostgresError) in
      _ = try await slots.use { () throws(PostgresError) in
        await #expect(throws: PostgresError.overloaded) {
          try await slots.use { () throws(PostgresError) in Issue.record("a third") }
        }
      }
      await #expect(throws: PostgresError.cancelled) {
        try await slots.use { () async throws(PostgresError) -> Int in throw .cancelled }
      }
      let answer = try await slots.use { () throws(PostgresError) in 7 }
      #expect(answer == 7)
    }
  }

  @Test("another app's installations are not counted")
  func apps() async throws {
    try await withAudience(100) { pool in
      let other = try await Self.preview(Self.everyone, pool, app: AppNumber(2))
      #expect(other.count() == .init())
    }
  }

  @Test("what can't be counted in time is estimated, with an error that holds")
  func estimate() async throws {
    try await withAudience(25_000, padding: 1_500) { pool in
      try await pool.script("ANALYZE installation")
      let hurried = SegmentStore(pool: pool, exactLimit: .milliseconds(1))
      let preview = try await hurried.preview(
        app: Self.app, audience: Self.pro, deadline: .now + .seconds(30))
      guard case .estimated(let matchingError, let sendableError) = preview.method else {
        Issue.record("\(preview.method)")
        return
      }
      let exact = try await Self.preview(Self.pro, pool).count()
      #expect(exact.matching == 8_334)
      #expect(matchingError > 0 && matchingError < exact.matching / 10)
      // Three times the error of 19 in 20: less than one in a million goes beyond by chance.
      #expect(abs(preview.count().matching - exact.matching) <= 3 * matchingError)
      #expect(abs(preview.count().sendable - exact.sendable) <= 3 * sendableError)
      #expect(preview.sample.count == Limits.previewSample)
      let nobody = try await hurried.roughly(app: Self.app, audience: .any([]), deadline: .now + .seconds(30))
      #expect(nobody.groups.isEmpty && nobody.method == .estimated(matchingError: 0, sendableError: 0))
    }
  }

  @Test("a tag's value is found by its index")
  func index() async throws {
    try await withAudience(5_000) { pool in
      try await pool.script("ANALYZE installation")
      let plan = try await Self.texts(
        #"EXPLAIN SELECT FROM installation i WHERE i.app_no = 1 AND i.tags @> '{"n": "77"}'"#, pool)
      #expect(plan.contains { $0.contains("installation_tags") }, "\(plan)")
    }
  }

  /// A quarter of all: iOS and anonymous. Of those every fifth has lost its token to another.
  private func withAudience(
    _ count: Int, padding: Int = 0, _ body: (ConnectionPool) async throws -> Void
  ) async throws {
    try await withDatabase { url in
      var configuration = PoolConfiguration(url: url)
      // As the server has it.
      configuration.settings += [("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off")]
      let pool = ConnectionPool(configuration)
      try await pool.script(Self.population(count, padding), deadline: .now + .seconds(60))
      try await body(pool)
      await pool.close()
    }
  }

  private static func population(_ count: Int, _ padding: Int) -> String {
    """
    INSERT INTO installation (app_no, installation_no, installation_id, platform, push_token, token_state, permission,
      binding_id, state_revision, state_hash, external_id, tags, external_device_id)
    SELECT 1, n, gen_random_uuid(), 1 + n % 2, md5(n::text), 1, CASE WHEN n % 4 = 0 THEN 2 ELSE 3 END,
      gen_random_uuid(), 1, '', CASE WHEN n % 4 IN (0, 3) THEN 'user ' || n END,
      jsonb_build_object('plan', (ARRAY['free', 'pro', 'team'])[1 + n % 3], 'n', n::text), repeat('x', \(padding))
    FROM generate_series(1, \(count)) n;
    INSERT INTO token_owner (app_no, token, installation_no, registered_at)
    SELECT app_no, push_token, CASE WHEN installation_no % 20 = 2 THEN 0 ELSE installation_no END, now()
    FROM installation;
    """
  }

  private static func preview(
    _ filter: Filter, _ pool: ConnectionPool, app: AppNumber = app
  ) async throws -> AudiencePreview {
    try await SegmentStore(pool: pool, exactLimit: .seconds(30)).preview(
      app: app, audience: filter, deadline: .now + .seconds(60))
  }

  private static func digest(_ filter: Filter, _ pool: ConnectionPool) async throws -> AudienceDigest {
    let preview = try await preview(filter, pool)
    guard case .exact(let digest) = preview.method else { throw TestFailure("\(preview.method)") }
    return digest
  }

  private static func texts(_ sql: String, _ pool: ConnectionPool) async throws -> [String] {
    try await pool.run(
      DynamicStatement<String>(name: "texts", sql: sql, parameters: Parameters()) { row throws(PostgresError) in
        try row.string()
      })
  }
}
