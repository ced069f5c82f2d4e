internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits app list`
enum ListApps {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let apps = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await AccessStore(pool: pool).apps(environment: nil)
    }
    let rows = apps.map { app -> [Report.Value] in
      [
        .string(app.id.text), .string(app.environmentID.text), .string(app.name),
        .list(app.platforms.map { .string($0.name) }), .string(app.bundleID), .string(app.publicKey),
      ]
    }
    try invocation.output.print(
      .table("apps", columns: ["app_id", "environment_id", "name", "platforms", "bundle_id", "public_key"], rows: rows))
  }
}
