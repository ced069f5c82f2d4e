import Foundation
import Postgres
import TestSupport

/// A migrated database with one app, and the commands on it.
struct ImportScene: Sendable {
  let url: String
  let environmentID: String
  let appID: String
  let environment: [String: String]

  static func with<R>(
    platform: String = "android", _ body: (ImportScene) async throws -> R
  ) async throws -> R {
    try await withDatabase { url in
      let environment = OperatorTests.environment(url)
      let project = try await KitsProcess.run("project", "create", "--name", "Shop", "--json", environment: environment)
      let place = try project.field("environment_id")
      let app = try await KitsProcess.run(
        "app", "create", "--environment", place, "--name", "A", "--platform", platform, "--bundle-id", "a.b",
        "--json", environment: environment)
      return try await body(
        ImportScene(
          url: url, environmentID: place, appID: try app.field("app_id"), environment: environment))
    }
  }

  func run(_ words: String...) async throws -> KitsProcess.Ending {
    try await KitsProcess(words, environment: environment).ending()
  }

  func importing(_ path: String, _ words: [String] = []) throws -> KitsProcess {
    try KitsProcess(["import", "installations", path, "--app", appID, "--json"] + words, environment: environment)
  }

  func imported(_ path: String, _ words: String...) async throws -> KitsProcess.Ending {
    try await importing(path, words).ending()
  }

  /// Rows of one text column.
  func texts(_ sql: String) async throws -> [String] { try await Self.texts(sql, url) }

  static func texts(_ sql: String, _ url: String) async throws -> [String] {
    let pool = ConnectionPool(PoolConfiguration(url: url))
    let statement = DynamicStatement<String>(name: "texts", sql: sql, parameters: Parameters()) {
      (row) throws(PostgresError) in try row.string()
    }
    do {
      let rows = try await pool.run(statement, deadline: .now + .seconds(60))
      await pool.close()
      return rows
    } catch {
      await pool.close()
      throw error
    }
  }

  /// What an import decides of an installation, by push token.
  func installations() async throws -> [String] { try await texts(Self.rows) }

  static let rows = """
    SELECT concat_ws('|', i.push_token, i.platform, i.apns_environment, i.token_state, i.permission, i.push_preference,
      i.external_id, i.verified, i.app_version, i.os_version, i.model, i.sdk_version, i.language, i.time_zone,
      i.collection, i.collection_enabled, i.external_device_id, i.coppa, i.tags, i.first_session_at, i.last_session_at,
      i.session_count, i.foreground_seconds, o.installation_no = i.installation_no, m.installation_no IS NOT NULL)
    FROM installation i
    LEFT JOIN token_owner o ON o.app_no = i.app_no AND o.token = i.push_token
    LEFT JOIN imported_installation m ON m.app_no = i.app_no AND m.installation_no = i.installation_no
    ORDER BY i.push_token, i.installation_no
    """

  /// A file of the test that is gone afterwards.
  static func file<R>(_ text: String, _ body: (String) async throws -> R) async throws -> R {
    let path = NSTemporaryDirectory() + "kits-import-\(UUID().uuidString).csv"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    defer { unlink(path) }
    return try await body(path)
  }
}
