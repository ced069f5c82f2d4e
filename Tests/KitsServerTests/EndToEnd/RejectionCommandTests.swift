import Postgres
import TestSupport
import Testing

@testable import KitsServer

@Suite("kits identity rejections")
struct RejectionCommandTests {
  private static let rows = """
    INSERT INTO project (project_id, name) VALUES (gen_random_uuid(), 'p');
    INSERT INTO environment (environment_id, project_no, name) VALUES (gen_random_uuid(), 1, 'e');
    INSERT INTO app (app_id, environment_no, name, bundle_id, platforms, public_key)
    VALUES ('01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70', 1, 'a', 'b', '{1}', 'k');
    INSERT INTO identity_rejection (app_no, day, cause, bound, count, last_at)
    SELECT 1, (now() AT TIME ZONE 'UTC')::date - age, cause, bound, count, '2026-11-30 08:15:30Z'
    FROM (VALUES (0, 'expired', false, 7), (0, 'expired', true, 2), (6, 'key_revoked', false, 1),
      (7, 'iss_wrong', false, 3)) AS r (age, cause, bound, count)
    """

  @Test("It lists refused proofs by day, app and cause, of the days that are asked for")
  func list() async throws {
    try await withDatabase { url in
      let environment = OperatorTests.environment(url)
      func run(_ arguments: String...) async throws -> KitsProcess.Ending {
        try await KitsProcess.run(["identity", "rejections"] + arguments, environment: environment)
      }
      #expect(try await run().standardOutput == "no rejections\n")
      let pool = ConnectionPool(PoolConfiguration(url: url))
      try await pool.script(Self.rows)
      await pool.close()
      let week = try await run()
      #expect(week.status == 0)
      let causes = week.standardOutput.split(separator: "\n").map { line in
        line.split(separator: " ").dropFirst(2).dropLast().joined(separator: " ")
      }
      #expect(causes == ["cause outcome count", "expired refused 7", "expired let_through 2", "key_revoked refused 1"])
      let today = try await run("--days", "1", "--json")
      #expect(
        today.standardOutput.contains(
          #""app_id":"01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70","cause":"expired","outcome":"refused","count":7,"#
            + #""last_at":"2026-11-30T08:15:30Z"}"#))
      #expect(!today.standardOutput.contains("key_revoked"))
      #expect(try await run("--days", "8").standardOutput.contains("iss_wrong"))
      let refused = try await run("--days", "0")
      #expect(refused.status == 64 && refused.standardError.contains("--days must be 1 to 90"))
    }
  }
}
