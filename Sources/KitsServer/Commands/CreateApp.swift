internal import KitsAPI
internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits app create`
enum CreateApp {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let environment: EnvironmentID = try OperatorInput.id(arguments.required("environment"), "--environment")
    let name = try OperatorInput.name(arguments.required("name"), option: "name")
    let bundleID = try OperatorInput.bundleID(arguments.required("bundle-id"))
    let platform: Platform = try arguments.required("platform") == "ios" ? .ios : .android
    let (database, ring) = try Settings.operation(invocation)
    let key = try APNsKeyInput.read(arguments, platform: platform, ring: ring)
    let app = NewApp(
      id: OperatorInput.newID(), environment: environment, name: name, bundleID: bundleID, platforms: [platform],
      publicKey: PublicKey.generate().text, apnsKey: key)
    let isCreated = try await OperatorDatabase.use(database, ring: ring) { (pool) throws(PostgresError) in
      try await AccessStore(pool: pool).createApp(app, by: .commandLine(.appCreated))
    }
    guard isCreated else { throw CommandFailure.refused("there is no environment \(environment)") }
    try invocation.output.print(
      Report([
        ("app_id", .string(app.id.text)), ("environment_id", .string(environment.text)),
        ("public_key", .string(app.publicKey)), ("name", .string(name)), ("bundle_id", .string(bundleID)),
        ("platforms", .list(app.platforms.map { .string($0.name) })),
      ]),
      else: "The app \(app.id) was created; `kits app list` shows it.")
  }
}
