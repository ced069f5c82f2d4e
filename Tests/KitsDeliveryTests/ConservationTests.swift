import KitsCore
import KitsStore
import Postgres
import TestSupport
import Testing

@Suite("What must be true of every message at every moment")
struct ConservationTests {
  @Test(
    "A row that breaks it is seen by the view and, after the last message, by the metric",
    arguments: [
      ("somebody is missing", "UPDATE message SET planned = planned + 1", true),
      ("a message has ended with something pending", "UPDATE message_chunk SET outcomes = '\\x0001'", true),
      (
        "more was received than handed over",
        "INSERT INTO event_hour SELECT app_no, message_no, 1, now(), 3 FROM message", true
      ),
      (
        "more was clicked than handed over",
        "INSERT INTO event_hour SELECT app_no, message_no, 2, now(), 3 FROM message", true
      ),
      (
        "an event is in no hour",
        """
        \(Self.day);
        INSERT INTO event_hour SELECT app_no, message_no, 1, now(), 1 FROM message;
        INSERT INTO notification_event (app_no, installation_no, message_no, type, source, binding_number)
          SELECT m.app_no, i.installation_no, m.message_no, 1, 1, 1 FROM message m JOIN installation i USING (app_no)
        """, false
      ),
      (
        "an event was lost",
        "INSERT INTO event_hour SELECT app_no, message_no, 1, now(), 1 FROM message", nil
      ),
      (
        "an event is of nobody's delivery",
        """
        \(Self.day);
        INSERT INTO notification_event (app_no, installation_no, message_no, type, source, binding_number)
          SELECT m.app_no, 999, m.message_no, 1, 1, 1 FROM message m
        """, nil
      ),
    ])
  func breaks(what: String, sql: String, isMetric: Bool?) async throws {
    let failure = await #expect(throws: TestFailure.self) {
      try await World.with(installations: 2) { world in
        try await RetentionTests.settle(world, [.accepted, .accepted])
        let health = HealthStore(pool: world.pool)
        #expect(try await health.ledgerMismatches(deadline: .now + .seconds(20)) == 0)
        #expect(try await Self.broken(world).isEmpty)
        try await world.pool.script(sql)
        #expect(try await Self.broken(world).isEmpty == (isMetric == nil), "\(what)")
        let mismatches = try await health.ledgerMismatches(deadline: .now + .seconds(20))
        #expect(mismatches == (isMetric == true ? 1 : 0), "\(what)")
      }
    }
    #expect(failure?.description.contains("not conserved") == true, "\(what)")
  }

  @Test("Events and their hours that agree, and events that were forgotten, break nothing")
  func holds() async throws {
    try await World.with(installations: 2) { world in
      try await RetentionTests.settle(world, [.accepted, .accepted])
      try await world.pool.script(
        """
        \(Self.day);
        INSERT INTO event_hour SELECT app_no, message_no, 1, now(), 2 FROM message;
        INSERT INTO notification_event (app_no, installation_no, message_no, type, source, binding_number)
          SELECT m.app_no, i.installation_no, m.message_no, 1, 1, 1 FROM message m JOIN installation i USING (app_no)
        """)
      #expect(try await Self.broken(world).isEmpty)
      // A device goes with what it reported.
      let gone = world.members[0].number.value
      try await world.pool.script(
        """
        DELETE FROM notification_event WHERE installation_no = \(gone);
        DELETE FROM installation WHERE installation_no = \(gone);
        """)
      #expect(try await Self.broken(world).isEmpty)
    }
  }

  private static func broken(_ world: World) async throws -> [String] {
    try await world.pool.texts("SELECT message_no::text FROM message_conservation WHERE NOT holds")
  }

  /// Room for the events of today, unless there is already.
  private static let day = """
    DO $$
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'notification_event'::regclass) THEN
        CREATE TABLE notification_event_all PARTITION OF notification_event DEFAULT;
      END IF;
    END $$
    """
}
