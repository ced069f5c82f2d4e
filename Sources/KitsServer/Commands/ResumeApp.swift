internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits app resume`
enum ResumeApp {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let app: AppID = try OperatorInput.id(arguments.required("APP_ID"), "APP_ID")
    let environments = PauseArguments.environments(arguments)
    let keepSuspects = arguments.has("keep-suspects")
    let answer = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await CircuitStore(pool: pool).resume(
        app, of: nil, environments, keepSuspects: keepSuspects, by: .commandLine(.appResumed))
    }
    guard let answer else { throw CommandFailure.refused("there is no app \(app)") }
    try invocation.output.print(
      Report([
        ("app_id", .string(app.text)), ("tokens_lifted", .integer(Int(answer.resumed.tokens))),
        ("deliveries_due", .integer(Int(answer.resumed.retries))), ("pauses", PauseArguments.table(answer.pauses)),
      ]))
  }
}
