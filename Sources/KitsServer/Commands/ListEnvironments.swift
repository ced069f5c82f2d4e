internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits environment list`
enum ListEnvironments {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let all = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await EnvironmentStore(pool: pool).environments()
    }
    let rows = all.map { environment -> [Report.Value] in
      let policy = environment.policy
      return [
        .string(environment.id.text), .string(environment.project.text), .string(environment.name),
        .string(policy.authMode.name), .flag(policy.shadow), .integer(Int(policy.revision)),
        .string(policy.identifiers.name), .flag(policy.rawIdentifiers), .integer(environment.apps.count),
      ]
    }
    try invocation.output.print(
      .table(
        "environments",
        columns: [
          "environment_id", "project_id", "name", "auth_mode", "shadow", "policy_revision", "identifier_policy",
          "raw_identifiers", "apps",
        ], rows: rows))
  }
}
