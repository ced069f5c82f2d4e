import KitsStore
import Postgres
import TestSupport
import Testing

/// What metrics and probes read from the database.
@Suite("The health of the database")
struct HealthTests {
  /// A settled message of the last hour that planned `planned` recipients; one chunk has the outcomes.
  static func message(planned: Int, outcomes: String, settled: Bool = true) -> String {
    """
    INSERT INTO project (project_id, name) VALUES (gen_random_uuid(), 'p');
    INSERT INTO environment (environment_id, project_no, name)
      SELECT gen_random_uuid(), project_no, 'e' FROM project LIMIT 1;
    INSERT INTO app (app_id, environment_no, name, bundle_id, platforms, public_key)
      SELECT gen_random_uuid(), environment_no, 'a', 'a.b', '{1}', 'k' FROM environment LIMIT 1;
    INSERT INTO message (app_no, message_id, message_no, state, target_kind, expires_at, plan_upto, plan_done, planned,
        settled, created_by)
      SELECT app_no, gen_random_uuid(), (extract(epoch FROM now()) * 1000)::bigint << 22, 3, 2, now(), 0, true,
        \(planned), \(settled), gen_random_uuid()
      FROM app;
    INSERT INTO message_chunk (app_no, message_no, chunk_no, n, lo, hi, members, outcomes, done, acked_to)
      SELECT app_no, message_no, 0, length(o), 1, 2, '{1,2}', o, \(settled), 0
      FROM message, decode('\(outcomes)', 'hex') o;
    """
  }

  static func health<R>(_ sql: String, _ body: (HealthStore) async throws -> R) async throws -> R {
    try await withDatabase(isConserved: false) { url in
      let pool = ConnectionPool(PoolConfiguration(url: url))
      try await pool.script(sql)
      let result = try await body(HealthStore(pool: pool))
      await pool.close()
      return result
    }
  }

  @Test(
    "A settled message whose ledger doesn't add up is counted",
    arguments: [(2, "0101", 0), (3, "0101", 1), (1, "0101", 1), (2, "0102", 1), (2, "0122", 0), (2, "01fe", 1)])
  func mismatch(planned: Int, outcomes: String, expected: Int) async throws {
    let found = try await Self.health(Self.message(planned: planned, outcomes: outcomes)) {
      try await $0.ledgerMismatches(deadline: .now + .seconds(10))
    }
    #expect(found == expected)
  }

  @Test("Open messages and deliveries are the backlog; a missing partition is noticed")
  func backlog() async throws {
    let sql = Self.message(planned: 2, outcomes: "0000", settled: false)
    let backlog = try await Self.health(sql) { try await $0.backlog(deadline: .now + .seconds(10)) }
    #expect(backlog?.messages == 1 && backlog?.deliveries == 2 && backlog?.retries == 0)
    #expect(try await Self.health("SELECT 1") { try await $0.hasPartitions() })
    let drop = """
      DO $$ BEGIN
        EXECUTE format('DROP TABLE message_chunk_%s', to_char((now() AT TIME ZONE 'UTC')::date + 1, 'YYYYMMDD'));
      END $$
      """
    #expect(try await !Self.health(drop) { try await $0.hasPartitions() })
  }
}
