internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits environment show`
enum ShowEnvironment {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let id: EnvironmentID = try OperatorInput.id(invocation.arguments.required("ENVIRONMENT_ID"), "ENVIRONMENT_ID")
    let found = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await EnvironmentStore(pool: pool).environment(.id(id))
    }
    guard let found else { throw CommandFailure.refused("there is no environment \(id)") }
    try invocation.output.print(report(found))
  }

  static func report(_ environment: EnvironmentRecord) -> Report {
    let policy = environment.policy
    let apps = environment.apps.map { [Report.Value.string($0.id.text), .string($0.name)] }
    return Report([
      ("environment_id", .string(environment.id.text)), ("project_id", .string(environment.project.text)),
      ("name", .string(environment.name)), ("auth_mode", .string(policy.authMode.name)),
      ("shadow", .flag(policy.shadow)), ("policy_revision", .integer(Int(policy.revision))),
      ("identifier_policy", .string(policy.identifiers.name)), ("raw_identifiers", .flag(policy.rawIdentifiers)),
      ("apps", .table(columns: ["app_id", "name"], rows: apps)),
    ])
  }
}
