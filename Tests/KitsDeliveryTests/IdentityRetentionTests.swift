import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsDelivery
@testable import KitsStore

@Suite("What is remembered of identities goes when it can't matter any more")
struct IdentityRetentionTests {
  private static let rows = """
    INSERT INTO identity_operation (
      app_no, installation_no, operation_id, kind, status, policy_revision, binding_id, binding_number, verified,
      changed_at, created_at)
    SELECT 1, 1, gen_random_uuid(), 2, 1, 1, gen_random_uuid(), 1, false, now(), now() - age * interval '1 hour'
    FROM unnest(ARRAY[0, 2159, 2161, 5000]) age;
    INSERT INTO erased_user (environment_no, user_hash, erased_at)
    SELECT 1, sha256(age::text::bytea), now() - age * interval '1 hour' FROM unnest(ARRAY[0, 719, 721]) age;
    INSERT INTO identity_rejection (app_no, day, cause, bound, count, last_at)
    SELECT 1, now()::date - age / 24, 'expired', false, 1, now() - age * interval '1 hour'
    FROM unnest(ARRAY[0, 2159, 2161]) age;
    """

  @Test("Operations go after 90 days, tombstones after 30, counts of refused proofs after 90")
  func forgetting() async throws {
    try await World.with(installations: 1) { world in
      try await world.pool.script(Self.rows)
      let log = RetentionTests.Log()
      var sweeper = RetentionTests.sweeper(world, log: log)
      sweeper.rowsPerStep = 1
      try await sweeper.sweep(now: try await RetentionTests.inDays(0, world))
      #expect(log.forgotten["identity_operation"] == 2)
      #expect(log.forgotten["erased_user"] == 1)
      #expect(log.forgotten["identity_rejection"] == 1)
      // Its next turn is an hour later.
      try await world.pool.script("UPDATE identity_operation SET created_at = now() - interval '91 days'")
      try await sweeper.sweep(now: try await RetentionTests.inDays(0, world))
      #expect(log.forgotten["identity_operation"] == 2)
      try await sweeper.sweep(now: try await RetentionTests.inDays(1, world))
      #expect(log.forgotten["identity_operation"] == 4)
    }
  }
}
