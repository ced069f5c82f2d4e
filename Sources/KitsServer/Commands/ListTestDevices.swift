internal import JSON
internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits test-device list`
enum ListTestDevices {
  private static let most: Int32 = 1_000

  @Sendable static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    let environment: EnvironmentID = try OperatorInput.id(arguments.required("environment"), "--environment")
    let app = try arguments.value("app").map { (text) throws(CommandFailure) -> AppID in
      try OperatorInput.id(text, "--app")
    }
    let devices = try await OperatorDatabase.use(Settings.database(invocation)) {
      (pool) throws(PostgresError) -> [TestDevice]? in
      guard try await UserStore(pool: pool).environment(environment) != nil else { return nil }
      return try await InstallationStore(pool: pool).testDevices(in: environment, app: app, limit: most)
    }
    guard let devices else { throw CommandFailure.refused("there is no environment \(environment)") }
    try invocation.output.print(
      .table(
        "test_devices",
        columns: ["installation_id", "app_id", "platform", "model", "external_id", "reachable", "marked_at"],
        rows: devices.map(row)))
  }

  private static func row(_ device: TestDevice) -> [Report.Value] {
    [
      .string(device.installation.text), .string(device.app.text), .string(device.platform.name),
      device.model.map { .string($0) } ?? .null, device.externalID.map { .string($0) } ?? .null,
      .flag(device.isReachable), .string(RFC3339.format(device.markedAt.microseconds)),
    ]
  }
}
