package import Crypto
internal import Foundation

/// `kits serve` as a real process on real parts: a database of its own, an APNs simulator of its own, free ports, an
/// app with its keys.
///
/// ```swift
/// try await withServer { server in
///   let device = try await server.register(token: "…")
///   let message = try await server.send(#"{"target": {"everyone": true}, "title": "Hello"}"#)
///   let ledger = try await server.settled(message)
///   try await server.simulator.wait("accepted=1")
/// }
/// ```
package final class RunningServer: Sendable {
  package let databaseURL: String
  package let simulator: SimulatorProcess
  package let apnsKey: P256PrivateKey
  package let tenant: Tenant
  /// The settings of the server; commands take the same.
  package let environment: [String: String]

  /// All runs, the current one last; written by `restart`.
  private let runs = Guard<[ServeProcess]>([])

  /// Migrates the database, makes an app, starts the server and waits until it is ready.
  /// - Parameter simulatorArguments: more of the simulator's command line.
  package init(
    databaseURL: String, settings: [String: String] = [:], simulatorArguments: [String] = []
  ) async throws {
    self.databaseURL = databaseURL
    let apnsKey = P256PrivateKey()
    self.apnsKey = apnsKey
    simulator = try await SimulatorProcess(arguments: simulatorArguments, keys: [Self.simulatorKey(apnsKey)])
    let origin = "https://localhost:\(simulator.port)"
    let defaults = [
      "KITS_DATABASE_URL": databaseURL, "KITS_MASTER_KEYS": "t1:\(Base64.encode(SystemRandom.bytes(32)))",
      "KITS_LISTEN": "127.0.0.1:0", "KITS_ADMIN_LISTEN": "127.0.0.1:0", "KITS_LOG_LEVEL": "debug",
      "KITS_APNS_PRODUCTION_URL": origin, "KITS_APNS_SANDBOX_URL": origin,
      "KITS_APNS_CA": simulator.certificateFile,
    ]
    environment = defaults.merging(settings) { $1 }
    let migration = try await KitsProcess.run("migrate", environment: environment)
    guard migration.status == 0 else { throw TestFailure("kits migrate: \(migration)") }
    tenant = try await Tenant.create(environment, apnsKey: apnsKey)
    try await restart()
  }

  package var baseURL: String { "http://127.0.0.1:\(current?.port ?? 0)" }
  package var adminURL: String { "http://127.0.0.1:\(current?.adminPort ?? 0)" }
  /// What all runs have logged.
  package var log: String { runs.withLock { $0.map(\.log).joined() } }

  package func signal(_ number: Int32) { current?.signal(number) }

  /// Waits until the current process has ended.
  package func ending() async throws -> KitsProcess.Ending {
    guard let current else { throw TestFailure("nothing was started") }
    return await current.ending()
  }

  /// Starts it again after it has ended, on new ports.
  package func restart() async throws {
    let process = try await ServeProcess.start(environment)
    runs.withLock { $0.append(process) }
  }

  /// The public half of the app's key, as simulators take it.
  package var simulatorKey: SimulatorProcess.Key { Self.simulatorKey(apnsKey) }

  private static func simulatorKey(_ key: P256PrivateKey) -> SimulatorProcess.Key {
    SimulatorProcess.Key(
      keyID: Tenant.keyID, teamID: Tenant.teamID, publicKeyPEM: key.publicKey.spkiPEM, topics: [Tenant.bundleID])
  }

  /// One more process on the same database; it ends with the value.
  /// - Parameter changes: settings in which it differs.
  package func anotherNode(
    _ arguments: String..., changes: [String: String] = [:]
  ) async throws -> ServeProcess {
    try await ServeProcess.start(environment.merging(changes) { $1 }, arguments)
  }

  package func isReady() async throws -> Bool { try await current?.isReady() ?? false }

  private var current: ServeProcess? { runs.withLock(\.last) }
}

/// Runs a test with a server and a database of its own, both gone afterwards.
package func withServer<R: Sendable>(
  settings: [String: String] = [:], simulatorArguments: [String] = [], _ body: (RunningServer) async throws -> R
) async throws -> R {
  try await withDatabase { url in
    let server = try await RunningServer(
      databaseURL: url, settings: settings, simulatorArguments: simulatorArguments)
    defer { server.signal(SIGKILL) }
    do {
      return try await body(server)
    } catch {
      // The log is what explains it.
      print("the server's log:\n\(server.log)")
      throw error
    }
  }
}
