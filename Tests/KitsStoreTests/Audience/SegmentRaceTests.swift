import FoundationEssentials
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsStore

@Suite("Segments and the messages that name them")
struct SegmentRaceTests {
  private static let segment = SegmentID(UUID())
  private static let call = AuditedCall(actor: .commandLine, action: .segmentDeleted)

  @Test("a segment that a message is just being created for is not deleted under it")
  func deletion() async throws {
    try await withSegment { pool in
      let store = SegmentStore(pool: pool)
      let deletion = try await pool.transaction { transaction in
        try await transaction.script(Self.use)
        let deletion = Task { try await Self.delete(store) }
        _ = try await eventually("the deletion waits") {
          try await Self.count(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
            pool) == 1 ? true : nil
        }
        return deletion
      }
      let error = await #expect(throws: PostgresError.self) { try await deletion.value }
      #expect(error.map { StoreFault($0).code } == .overloaded)
      // The second try sees the message.
      let isGone = try await Self.delete(store)
      #expect(isGone == false)
      #expect(try await Self.count("SELECT count(*) FROM segment", pool) == 1)
    }
  }

  @Test("a message can't name a segment that is gone, and takes its uses with it when it is forgotten")
  func references() async throws {
    try await withSegment { pool in
      try await pool.script(Self.use)
      try await pool.script("DELETE FROM message")
      #expect(try await Self.count("SELECT count(*) FROM message_segment", pool) == 0)
      let isGone = try await Self.delete(SegmentStore(pool: pool))
      #expect(isGone == true)
      try await pool.script(Self.message)
      let error = await #expect(throws: PostgresError.self) { try await pool.script(Self.use) }
      #expect(error.map { StoreFault($0).code } == .overloaded)
    }
  }

  private static func delete(_ store: SegmentStore) async throws(PostgresError) -> Bool? {
    try await store.delete(
      environment: EnvironmentNumber(1), id: segment, isForced: false, call: call, deadline: .now + .seconds(30))
  }

  private func withSegment(_ body: (ConnectionPool) async throws -> Void) async throws {
    try await withDatabase { url in
      let pool = ConnectionPool(PoolConfiguration(url: url))
      try await pool.script(Self.tenant + Self.message)
      try await body(pool)
      await pool.close()
    }
  }

  private static let tenant = """
    INSERT INTO project (project_id, name) VALUES (gen_random_uuid(), 'p');
    INSERT INTO environment (environment_id, project_no, name) VALUES (gen_random_uuid(), 1, 'e');
    INSERT INTO app (app_id, environment_no, name, bundle_id, platforms, public_key)
    VALUES (gen_random_uuid(), 1, 'a', 'b', '{1}', 'k');
    INSERT INTO segment (app_no, segment_id, name, filter, created_by)
    VALUES (1, '\(segment.text)', 's', '{"all": []}', gen_random_uuid());

    """

  private static let message = """
    INSERT INTO message (app_no, message_id, message_no, state, target_kind, expires_at, plan_upto, created_by)
    VALUES (1, '\(UUID().uuidString)', 1, 1, 2, now(), 1, gen_random_uuid());
    """

  private static let use = """
    INSERT INTO message_segment (app_no, message_id, segment_id)
    SELECT app_no, message_id, '\(segment.text)' FROM message
    """

  private static func count(_ sql: String, _ pool: ConnectionPool) async throws -> Int64 {
    let statement = DynamicStatement<Int64>(
      name: "count", sql: sql, parameters: Parameters(), decode: Person.number)
    return try await pool.run(statement).first ?? -1
  }
}
