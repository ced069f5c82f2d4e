internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits identity-key revoke`
enum RevokeIdentityKey {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let environment: EnvironmentID = try OperatorInput.id(arguments.required("environment"), "--environment")
    let id = try OperatorInput.identityKeyID(arguments.required("KEY_ID"), "KEY_ID")
    let key = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await EnvironmentStore(pool: pool).revokeKey(
        id, of: .id(environment), by: .commandLine(.identityKeyRevoked))
    }
    guard let key else { throw CommandFailure.refused("the environment has no identity key \(id)") }
    try invocation.output.print(ListIdentityKeys.report(key), else: "The key was revoked.")
  }
}
