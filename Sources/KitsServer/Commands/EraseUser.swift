internal import JSON
internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits user erase`
enum EraseUser {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let environment: EnvironmentID = try OperatorInput.id(
      invocation.arguments.required("environment"), "--environment")
    let user = try ExternalIDInput.read(invocation.arguments)
    let call = AuditedCall.commandLine(.userErased)
    let erasure = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      let users = UserStore(pool: pool)
      guard let number = try await users.environment(environment) else { return UserErasure?.none }
      return try await users.erase(user, in: number, call: call)
    }
    guard let erasure else { throw CommandFailure.refused("there is no environment \(environment)") }
    try invocation.output.print(
      Report([
        ("installations", .integer(Int(erasure.installations))), ("operations", .integer(Int(erasure.operations))),
        ("messages_scrubbed", .integer(Int(erasure.messages))),
        ("erased_at", .string(RFC3339.format(erasure.erasedAt.microseconds))),
      ]), else: "The user was erased.")
  }
}
