internal import JSON
internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits key list`
enum ListKeys {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let environment: EnvironmentID = try OperatorInput.id(
      invocation.arguments.required("environment"), "--environment")
    let keys = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await AccessStore(pool: pool).serverKeys(environment: environment)
    }
    guard let keys else { throw CommandFailure.refused("there is no environment \(environment)") }
    let rows = keys.map { key -> [Report.Value] in
      [
        .string(key.id.text), .string(key.name), .string(key.lastFour),
        .list(Scope.allCases.filter(key.scopes.contains).map { .string($0.rawValue) }),
        .string(key.role.name), .string(RFC3339.format(key.createdAt.microseconds)),
        key.revokedAt.map { .string(RFC3339.format($0.microseconds)) } ?? .null,
      ]
    }
    try invocation.output.print(
      .table(
        "keys", columns: ["key_id", "name", "last_four", "scopes", "role", "created_at", "revoked_at"], rows: rows))
  }
}
