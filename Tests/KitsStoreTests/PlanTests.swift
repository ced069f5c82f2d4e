import Postgres
import TestSupport
import Testing

@testable import KitsStore

@Suite("Hot statements find their rows by index")
struct PlanTests {
  private static let hot = [
    Hot(RegisterInstallations.self, "registration_pkey"), Hot(UpdateInstallations.self, "installation_pkey"),
    Hot(ReadOwnInstallation.self, "installation_pkey"), Hot(AuthenticateServerKeys.self, "server_key_hash_key"),
    Hot(AdmitMessageCreations.self, "server_key_hash_key"), Hot(CreateMessages.self, "installation_id_key"),
    Hot(ClaimDueMessages.self, "message_due"), Hot(ListOpenMessages.self, "message_unsettled"),
    Hot(ClaimPlan.self, "message_unplanned"),
    Hot(PlanPageOfEveryone.self, "token_owner_installation"), Hot(ClaimChunk.self, "token_owner_installation"),
    Hot(ApplyIdentityOperations.self, "identity_operation_pkey"), Hot(ReadOwnIdentity.self, "installation_pkey"),
    Hot(FindIdentityKey.self, "identity_key_pkey"),
    Hot(AckWindow.self, "installation_pkey"), Hot(ClaimSingles.self, "message_unsettled"),
    Hot(AckSingles.self, "message_unsettled"), Hot(ClaimRetries.self, "delivery_retry_due"),
    Hot(RecordFeedback.self, "installation_pkey"), Hot(ReadMessage.self, "message_pkey"),
    Hot(CreateMessages.self, "installation_user"), Hot(FindUnmatchedUsers.self, "installation_user"),
    Hot(ListUserInstallations.self, "installation_user"), Hot(EraseUser.self, "installation_user"),
    Hot(EraseUser.self, "identity_operation_user"), Hot(EraseUser.self, "identity_operation_answered"),
    Hot(EraseUser.self, "message_unmatched_users"),
    Hot(FixAudience.self, "installation_pkey"),
    Hot(ChangeTags.self, "installation_pkey"), Hot(ChangeTags.self, "tag_key_pkey"),
    Hot(ListTagKeys.self, "tag_key_pkey"), Hot(SearchInstallationsByToken.self, "token_owner_end"),
    Hot(SearchInstallationsByUser.self, "installation_user"), Hot(SearchTestDevices.self, "test_device_pkey"),
    Hot(ListInstallations.self, "installation_id_key"),
    Hot(ReadSegments.self, "segment_pkey"), Hot(DeleteSegment.self, "message_segment_use"),
    Hot(FindDelivery.self, "delivery_summary_pkey"), Hot(FindReadableMessage.self, "message_pkey"),
    Hot(ListInstallationDeliveries.self, "message_larger"), Hot(ListDeliveries.self, "installation_pkey"),
    Hot(ListInstallationDeliveries.self, "_app_no_message_no_lo_hi_idx"),
    Hot(ListInstallationDeliveries.self, "_app_no_lo_message_no_idx"),
  ]

  @Test("Their generic plans name the index and scan no large table")
  func plans() async throws {
    try await withDatabase(isConserved: false) { url in
      try await Hot.populate(url)
      for hot in Self.hot {
        let plan = try await hot.plan(url)
        let shown = "\(hot.name)\n" + plan.joined(separator: "\n")
        #expect(plan.contains { $0.contains(hot.index) }, "\(shown)")
        #expect(plan.filter(Hot.scansLargeTable).isEmpty, "\(shown)")
      }
    }
  }
}

/// A statement that runs often, and the index that its rows are found by.
struct Hot: Sendable {
  let name: String
  let sql: String
  let parameters: Int
  let index: String

  init(_ type: any Statement.Type, _ index: String) {
    name = "\(type)"
    sql = type.sql
    parameters = sql.matches(of: /\$(\d+)/).compactMap { Int($0.output.1) }.max() ?? 0
    self.index = index
  }

  /// The generic plan under the settings that the server's pools have.
  func plan(_ url: String) async throws -> [String] {
    var configuration = PoolConfiguration(url: url)
    configuration.size = 1
    configuration.settings += [("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off")]
    let pool = ConnectionPool(configuration)
    try await pool.script("PREPARE hot AS \(sql)")
    let nulls = Array(repeating: "NULL", count: parameters).joined(separator: ", ")
    let lines = try await pool.run(Self.explain("EXPLAIN EXECUTE hot(\(nulls))"))
    await pool.close()
    return lines
  }

  static func populate(_ url: String) async throws {
    let pool = ConnectionPool(PoolConfiguration(url: url))
    try await pool.script(population, deadline: .now + .seconds(120))
    await pool.close()
  }

  /// Enough rows for the planner to see what it will see in use.
  private static let population = """
    INSERT INTO project (project_id, name) VALUES (gen_random_uuid(), 'p');
    INSERT INTO environment (environment_id, project_no, name) VALUES (gen_random_uuid(), 1, 'e');
    INSERT INTO app (app_id, environment_no, name, bundle_id, platforms, public_key)
    SELECT gen_random_uuid(), 1, 'a', 'b', '{1}', i::text FROM generate_series(1, 50) i;
    INSERT INTO server_key (key_id, environment_no, name, hash, last_four, scopes)
    SELECT gen_random_uuid(), 1, 'k', sha256(i::text::bytea), '', '{}' FROM generate_series(1, 500) i;
    INSERT INTO installation (
      app_no, installation_no, installation_id, platform, push_token, token_state, binding_id, external_id,
      state_revision, state_hash)
    SELECT 1 + i % 50, i, gen_random_uuid(), 1, md5(i::text), 1, gen_random_uuid(),
      CASE WHEN i % 3 > 0 THEN 'user ' || i / 100 END, 1, ''
    FROM generate_series(1, 10000) i;
    INSERT INTO token_owner SELECT app_no, push_token, installation_no, now() FROM installation;
    INSERT INTO tag_key (app_no, key) SELECT 1 + i % 50, 'key ' || i FROM generate_series(1, 10000) i;
    INSERT INTO test_device (app_no, installation_no)
    SELECT app_no, installation_no FROM installation WHERE installation_no <= 1000;
    INSERT INTO registration SELECT app_no, sha256(push_token::bytea), installation_no FROM installation;
    INSERT INTO identity_operation (
      app_no, installation_no, operation_id, kind, status, policy_revision, binding_id, binding_number, verified,
      changed_at)
    SELECT app_no, installation_no, gen_random_uuid(), 2, 1, 1, binding_id, 1, false, now() FROM installation;
    INSERT INTO identity_key (environment_no, key_id, spki)
    SELECT 1, i::text, decode(lpad(to_hex(i), 182, '0'), 'hex') FROM generate_series(1, 500) i;
    INSERT INTO message (
      app_no, message_id, message_no, state, target_kind, expires_at, plan_upto, plan_done, planned, settled,
      created_by)
    SELECT 1 + i % 50, gen_random_uuid(), ((extract(epoch FROM now()) * 1000)::bigint << 22) + i, 3, 1, now(), 1,
      true, 1, true, gen_random_uuid()
    FROM generate_series(1, 10000) i;
    UPDATE message SET unmatched_users = ARRAY['user ' || message_no] WHERE app_no % 5 = 0;
    INSERT INTO identity_operation (app_no, installation_no, operation_id, kind, external_id, status,
      policy_revision, binding_id, binding_number, bound_external_id, verified, changed_at)
    SELECT app_no, installation_no, gen_random_uuid(), 1, external_id, 1, 1, binding_id, 1, external_id, false, now()
    FROM installation;
    INSERT INTO message_body (app_no, message_no, content, payloads, push_type, priority, ttl_seconds)
    SELECT app_no, message_no, '{}', '{a}', 1, 10, 60 FROM message;
    INSERT INTO message_chunk (app_no, message_no, chunk_no, n, lo, hi, members, outcomes, done)
    SELECT app_no, message_no, 0, 1, 1, 1, '{1}', 'a', true FROM message;
    INSERT INTO delivery_retry (app_no, message_no, chunk_no, idx, attempts, last_status, last_reason, not_before)
    SELECT app_no, message_no, 0, 0, 1, 503, '', now() + interval '1 hour' FROM message LIMIT 2000;
    INSERT INTO segment (app_no, segment_id, name, filter, created_by)
    SELECT app_no, gen_random_uuid(), 'a', '{"all":[]}', gen_random_uuid() FROM message GROUP BY app_no;
    INSERT INTO message_segment (app_no, message_id, segment_id)
    SELECT m.app_no, m.message_id, s.segment_id FROM message m JOIN segment s USING (app_no);
    ANALYZE;
    """

  private static func explain(_ sql: String) -> DynamicStatement<String> {
    DynamicStatement(name: "explain", sql: sql, parameters: Parameters()) { row throws(PostgresError) in
      try row.string()
    }
  }

  static func scansLargeTable(_ line: String) -> Bool {
    let tables = [
      "installation", "token_owner", "registration", "message", "server_key", "identity_operation", "identity_key",
      "tag_key",
    ]
    return tables.contains {
      line.contains("Seq Scan on \($0) ")
    }
  }
}
