internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits app list`
enum ListApps {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let database = try Settings.database(invocation)
    let (apps, pauses) = try await OperatorDatabase.use(database) { (pool) throws(PostgresError) in
      (try await AccessStore(pool: pool).apps(environment: nil), try await CircuitStore(pool: pool).pauses())
    }
    let rows = apps.map { app -> [Report.Value] in
      [
        .string(app.id.text), .string(app.environmentID.text), .string(app.name),
        .list(app.platforms.map { .string($0.name) }), .string(app.bundleID), .string(app.publicKey),
        .list((pauses[app.id] ?? []).map { .string("\($0.environment.name): \($0.reason.name)") }),
      ]
    }
    try invocation.output.print(
      .table(
        "apps", columns: ["app_id", "environment_id", "name", "platforms", "bundle_id", "public_key", "paused"],
        rows: rows))
  }
}
