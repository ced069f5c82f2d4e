internal import KitsCore
internal import KitsStore
internal import Postgres

/// `kits test-device remove`
enum RemoveTestDevice {
  @Sendable static func run(_ invocation: Invocation) async throws {
    let id: InstallationID = try OperatorInput.id(invocation.arguments.required("INSTALLATION_ID"), "INSTALLATION_ID")
    let wasMarked = try await OperatorDatabase.use(Settings.database(invocation)) { (pool) throws(PostgresError) in
      try await InstallationStore(pool: pool).removeTestDevice(id, in: nil, call: .commandLine(.testDeviceRemoved))
    }
    guard let wasMarked else { throw CommandFailure.refused("there is no installation \(id)") }
    try invocation.output.print(
      Report([("installation_id", .string(id.text)), ("removed", .flag(wasMarked))]),
      else: wasMarked ? "It is no test device any more." : "It was no test device.")
  }
}
