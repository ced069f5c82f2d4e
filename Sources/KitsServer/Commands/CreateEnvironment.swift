internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits environment create`
enum CreateEnvironment {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let project: ProjectID = try OperatorInput.id(arguments.required("project"), "--project")
    let name = try OperatorInput.name(arguments.required("name"), option: "name")
    let environment: EnvironmentID = OperatorInput.newID()
    let isCreated = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await EnvironmentStore(pool: pool).create(
        environment, name: name, in: project, by: .commandLine(.environmentCreated))
    }
    guard isCreated else { throw CommandFailure.refused("there is no project \(project)") }
    try invocation.output.print(
      Report([
        ("environment_id", .string(environment.text)), ("project_id", .string(project.text)), ("name", .string(name)),
        ("auth_mode", .string(AuthMode.basic.name)),
      ]),
      else: "The environment \(environment) was created.")
  }
}
