import KitsStore
import Postgres
import TestSupport
import Testing

@testable import KitsServer

@Suite("kits test-device")
struct TestDeviceCommandTests {
  private static let installation = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
  private static let other = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d71"

  @Test("A device is marked, listed and unmarked, each as often as wanted (K8)")
  func walk() async throws {
    try await withDatabase { url in
      let settings = OperatorTests.environment(url)
      func run(_ arguments: String...) async throws -> KitsProcess.Ending {
        try await KitsProcess.run(["test-device"] + arguments, environment: settings)
      }
      let id = try await KitsProcess.run(
        "project", "create", "--name", "Shop", "--json", environment: settings
      ).field("environment_id")
      let app = try await KitsProcess.run(
        "app", "create", "--environment", id, "--name", "App", "--platform", "android", "--bundle-id", "com.example",
        "--json", environment: settings
      ).field("app_id")
      let pool = ConnectionPool(PoolConfiguration(url: url))
      try await pool.script(
        """
        INSERT INTO installation (
          app_no, installation_no, installation_id, platform, binding_id, model, state_revision, state_hash)
        SELECT app_no, 1, '\(Self.installation)', 2, gen_random_uuid(), 'Pixel', 1, '' FROM app
        """)
      for _ in 0..<2 {
        let added = try await run("add", Self.installation)
        #expect(added.status == 0 && added.standardOutput.contains(app), "\(added)")
      }
      for options in [["--environment", id], ["--environment", id, "--app", app]] {
        let listed = try await KitsProcess.run(["test-device", "list"] + options, environment: settings)
        #expect(listed.status == 0 && listed.standardOutput.contains(Self.installation), "\(listed)")
        #expect(listed.standardOutput.contains("Pixel"))
      }
      let elsewhere = try await run("list", "--environment", id, "--app", Self.other)
      #expect(elsewhere.status == 0 && !elsewhere.standardOutput.contains(Self.installation))
      let removed = try await run("remove", Self.installation, "--json")
      #expect(removed.standardOutput.contains(#""removed":true"#), "\(removed)")
      #expect(try await run("remove", Self.installation, "--json").standardOutput.contains(#""removed":false"#))
      for (arguments, refusal) in [
        (["add", Self.other], "there is no installation"), (["remove", Self.other], "there is no installation"),
        (["list", "--environment", Self.other], "there is no environment"),
      ] {
        let refused = try await KitsProcess.run(["test-device"] + arguments, environment: settings)
        #expect(refused.status == 1 && refused.standardError.contains(refusal), "\(refused)")
      }
      #expect(try await run("add", "x").status == 64)
      try await pool.script(
        """
        DO $$ BEGIN
          ASSERT (SELECT array_agg(action ORDER BY audit_no) = '{test_device.added,test_device.removed}'
            FROM audit_entry WHERE target_id = '\(Self.installation)' AND actor_kind = 1);
        END $$
        """)
      await pool.close()
    }
  }
}
