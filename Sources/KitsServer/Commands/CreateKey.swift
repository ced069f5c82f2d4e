internal import KitsAPI
internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits key create`
enum CreateKey {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let environment: EnvironmentID = try OperatorInput.id(arguments.required("environment"), "--environment")
    let name = try OperatorInput.name(arguments.required("name"), option: "name")
    // In the order of the declaration, each once.
    let wanted = Set(arguments.values("scope"))
    let scopes = Scope.allCases.filter { wanted.contains($0.rawValue) }
    let role = Role.allCases.first { $0.name == arguments.value("role") } ?? .owner
    let database = try Settings.database(invocation)
    let id: ServerKeyID = OperatorInput.newID()
    let secret = ServerKeySecret.generate()
    let key = NewServerKey(
      id: id, environment: environment, name: name, hash: secret.hash, lastFour: secret.lastFour, scopes: scopes,
      role: role)
    let isCreated = try await OperatorDatabase.use(database) { (pool) throws(PostgresError) in
      try await AccessStore(pool: pool).createServerKey(key, by: .commandLine(.serverKeyCreated))
    }
    guard isCreated else { throw CommandFailure.refused("there is no environment \(environment)") }
    let report = Report([
      ("key_id", .string(id.text)), ("server_key", .string(secret.text)), ("name", .string(name)),
      ("scopes", .list(scopes.map { .string($0.rawValue) })), ("role", .string(role.name)),
    ])
    try invocation.output.print(
      report,
      else: "The server key was created but could not be shown, and it can't be shown again: revoke it with"
        + " `kits key revoke \(id)` and create another one.")
    invocation.output.remark("Keep the server key now: it is not stored and can't be shown again.")
  }
}
