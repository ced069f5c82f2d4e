internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits app set-key`
enum SetKey {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let app: AppID = try OperatorInput.id(arguments.required("APP_ID"), "APP_ID")
    let (database, ring) = try Settings.operation(invocation)
    guard let key = try APNsKeyInput.read(arguments, platform: .ios, ring: ring) else {
      throw CommandFailure.usage("an APNs key is needed")
    }
    let isSet = try await OperatorDatabase.use(database) { (pool) throws(PostgresError) in
      try await AccessStore(pool: pool).setKey(key, of: app, by: .commandLine(.providerKeySet))
    }
    guard isSet else { throw CommandFailure.refused("there is no iOS app \(app)") }
    try invocation.output.print(
      Report([
        ("app_id", .string(app.text)), ("apns_key_id", .string(key.keyID)), ("apns_team_id", .string(key.teamID)),
      ]))
  }
}
