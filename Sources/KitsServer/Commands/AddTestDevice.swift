internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits test-device add`
enum AddTestDevice {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let id: InstallationID = try OperatorInput.id(invocation.arguments.required("INSTALLATION_ID"), "INSTALLATION_ID")
    let answer = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await InstallationStore(pool: pool).addTestDevice(id, in: nil, call: .commandLine(.testDeviceAdded))
    }
    switch answer {
    case .marked(let device):
      try invocation.output.print(
        Report([
          ("installation_id", .string(device.installation.text)), ("app_id", .string(device.app.text)),
          ("reachable", .flag(device.isReachable)),
        ]))
    case .full: throw CommandFailure.refused("the app has \(Limits.testDevicesPerApp) test devices already")
    case nil: throw CommandFailure.refused("there is no installation \(id)")
    }
  }
}
