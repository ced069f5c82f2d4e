internal import JSON
internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits user show`
enum ShowUser {
  private static let most: Int32 = 100

  @Sendable static func run(_ invocation: Invocation) async throws {
    let environment: EnvironmentID = try OperatorInput.id(
      invocation.arguments.required("environment"), "--environment")
    let user = try ExternalIDInput.read(invocation.arguments)
    let found = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      let users = UserStore(pool: pool)
      guard let number = try await users.environment(environment) else { return [UserInstallation]?.none }
      return try await users.installations(of: user, in: number, limit: most)
    }
    guard let found else { throw CommandFailure.refused("there is no environment \(environment)") }
    guard !found.isEmpty else { throw CommandFailure.refused("nothing is bound to this user") }
    try invocation.output.print(
      .table(
        "installations",
        columns: ["id", "app_id", "platform", "token_state", "reachable", "verified", "bound_at", "last_seen_at"],
        rows: found.map(row)))
  }

  private static func row(_ entry: UserInstallation) -> [Report.Value] {
    let installation = entry.installation
    let state = installation.ownsToken ? installation.token.state : TokenState.none
    return [
      .string(installation.id.text), .string(entry.app.text), .string(installation.platform.name),
      .string(state.name), .flag(installation.isReachable), .flag(installation.binding.verified),
      .string(RFC3339.format(installation.binding.changedAt.microseconds)),
      .string(RFC3339.format(installation.updatedAt.microseconds)),
    ]
  }
}
