internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits project create`
enum CreateProject {
  static let defaultEnvironment = "production"

  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let name = try OperatorInput.name(arguments.required("name"), option: "name")
    let environmentName = try OperatorInput.name(
      arguments.value("environment") ?? defaultEnvironment, option: "environment")
    let database = try Settings.database(invocation)
    let project: ProjectID = OperatorInput.newID()
    let environment: EnvironmentID = OperatorInput.newID()
    try await OperatorDatabase.use(database) { (pool) throws(PostgresError) in
      try await AccessStore(pool: pool).createProject(
        project, name: name, environment: environment, environmentName: environmentName,
        by: .commandLine(.projectCreated))
    }
    try invocation.output.print(
      Report([
        ("project_id", .string(project.text)), ("environment_id", .string(environment.text)), ("name", .string(name)),
        ("environment", .string(environmentName)),
      ]),
      else: "The project \(project) was created, with the environment \(environment).")
  }
}
