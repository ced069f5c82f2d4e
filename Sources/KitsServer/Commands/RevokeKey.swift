internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits key revoke`
enum RevokeKey {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let id: ServerKeyID = try OperatorInput.id(invocation.arguments.required("KEY_ID"), "KEY_ID")
    let isRevoked = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await AccessStore(pool: pool).revokeServerKey(id, by: .commandLine(.serverKeyRevoked))
    }
    guard isRevoked else { throw CommandFailure.refused("there is no server key \(id)") }
    try invocation.output.print(
      Report([("key_id", .string(id.text)), ("revoked", true)]), else: "The key was revoked.")
  }
}
