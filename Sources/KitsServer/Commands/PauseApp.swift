internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits app pause`
enum PauseApp {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let app: AppID = try OperatorInput.id(arguments.required("APP_ID"), "APP_ID")
    let detail = try arguments.value("reason").map { (text) throws(CommandFailure) in
      try OperatorInput.pauseReason(text)
    }
    let environments = PauseArguments.environments(arguments)
    let pauses = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await CircuitStore(pool: pool).pause(
        app, of: nil, environments, detail: detail, by: .commandLine(.appPaused))
    }
    guard let pauses else { throw CommandFailure.refused("there is no app \(app)") }
    try invocation.output.print(Report([("app_id", .string(app.text)), ("pauses", PauseArguments.table(pauses))]))
  }
}
