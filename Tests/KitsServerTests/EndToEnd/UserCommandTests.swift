import Foundation
import KitsStore
import Postgres
import TestSupport
import Testing

@testable import KitsServer

@Suite("kits user")
struct UserCommandTests {
  /// An environment with one installation that is bound to `user-1`.
  private func withUser(
    _ body: (_ environment: [String: String], _ id: String, _ pool: ConnectionPool) async throws -> Void
  ) async throws {
    try await withDatabase { url in
      let settings = OperatorTests.environment(url)
      let id = try await KitsProcess.run(
        "project", "create", "--name", "Shop", "--json", environment: settings
      ).field("environment_id")
      let app = try await KitsProcess.run(
        "app", "create", "--environment", id, "--name", "App", "--platform", "android", "--bundle-id", "com.example",
        environment: settings)
      #expect(app.status == 0, "\(app)")
      let pool = ConnectionPool(PoolConfiguration(url: url))
      try await pool.script(
        """
        INSERT INTO installation (app_no, installation_no, installation_id, platform, binding_id, binding_number,
          external_id, verified, state_revision, state_hash)
        SELECT app_no, 1, '01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70', 2, gen_random_uuid(), 2, 'user-1', true, 1, ''
        FROM app
        """)
      try await body(settings, id, pool)
      await pool.close()
    }
  }

  @Test("A user is shown and erased, once; an id may come from stdin and is never repeated")
  func walk() async throws {
    try await withUser { settings, id, pool in
      let shown = try await KitsProcess.run("user", "show", "user-1", "--environment", id, environment: settings)
      #expect(shown.status == 0 && shown.standardOutput.contains("01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"), "\(shown)")
      var counts: [String] = []
      for _ in 0..<2 {
        let erased = try await KitsProcess.run(
          "user", "erase", "-", "--environment", id, "--json", environment: settings, input: "user-1\n")
        #expect(erased.status == 0 && !erased.standardOutput.contains("user-1"), "\(erased)")
        counts.append(String(erased.standardOutput.prefix(18)))
      }
      #expect(counts == [#"{"installations":1"#, #"{"installations":0"#])
      let gone = try await KitsProcess.run("user", "show", "user-1", "--environment", id, environment: settings)
      #expect(gone.status == 1 && gone.standardError.contains("nothing is bound to this user"))
      try await pool.script(
        """
        DO $$ BEGIN
          ASSERT (SELECT count(*) = 2 AND bool_and(actor_kind = 1 AND target_id ~ '^[0-9a-f]{64}$')
            FROM audit_entry WHERE action = 'user.erased');
          ASSERT (SELECT binding_number = 3 AND external_id IS NULL AND NOT verified FROM installation);
        END $$
        """)
    }
  }

  @Test("Another environment, and what can't be an id, are refused")
  func refused() async throws {
    try await withUser { settings, id, _ in
      let other = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d71"
      for verb in ["show", "erase"] {
        let unknown = try await KitsProcess.run("user", verb, "user-1", "--environment", other, environment: settings)
        #expect(unknown.status == 1 && unknown.standardError.contains("there is no environment \(other)"))
        let invalid = try await KitsProcess.run("user", verb, "a\u{7}", "--environment", id, environment: settings)
        #expect(invalid.status == 64 && invalid.standardError.contains("must not contain control characters"))
        let endless = try await KitsProcess.run(
          "user", verb, "-", "--environment", id, environment: settings, input: String(repeating: "a", count: 300))
        #expect(endless.status == 1)
      }
      let shown = try await KitsProcess.run("user", "show", "user-1", "--environment", id, environment: settings)
      #expect(shown.status == 0)
    }
  }
}
