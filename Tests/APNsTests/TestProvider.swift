import APNs
import Crypto
import Foundation
import HTTPClient
import KitsCore
import TestSupport

/// A team's key, a simulator that knows it and a client that trusts the simulator.
struct TestProvider {
  static let keyID = "KEY0000001"
  static let teamID = "TEAM000001"
  static let pool = APNsPoolKey(teamID: teamID, keyID: keyID, environment: .production)

  let simulator: SimulatorProcess
  let client: APNsClient
  let token: ProviderTokenValue
  let key: P256PrivateKey

  init(
    script: String? = nil, arguments: [String] = [], _ change: (inout APNsClientConfiguration) -> Void = { _ in },
    observe: @escaping @Sendable (APNsEvent) -> Void = { _ in }
  ) async throws {
    key = P256PrivateKey()
    simulator = try await SimulatorProcess(
      arguments: arguments,
      keys: [.init(keyID: Self.keyID, teamID: Self.teamID, publicKeyPEM: key.publicKey.spkiPEM)])
    if let script { try await simulator.post("/script", json: script) }
    var configuration = APNsClientConfiguration()
    configuration.productionURL = "https://127.0.0.1:\(simulator.port)"
    configuration.sandboxURL = configuration.productionURL
    configuration.caFile = simulator.certificateFile
    configuration.loopThreads = 1
    configuration.connectionsPerPool = 1
    configuration.connectInterval = .milliseconds(20)
    configuration.connectBackoffLimit = .milliseconds(200)
    configuration.requestDeadline = .seconds(30)
    configuration.stopGrace = .milliseconds(100)
    change(&configuration)
    client = try APNsClient(configuration, observe: observe)
    token = try ProviderToken.mint(
      teamID: Self.teamID, keyID: Self.keyID, issuedAt: Int64(Date().timeIntervalSince1970), key: key)
  }

  func send(_ batch: [APNsNotification], lease: BootInstant = .distantFuture) async -> [SendOutcome] {
    await client.send(batch, pool: Self.pool, token: token, leaseDeadline: lease)
  }

  /// Enough accepted ones for the window to be wide.
  func widen(_ count: Int = 40) async {
    for index in 0..<count { _ = await send([.test(token: "aa\(String(format: "%06x", index))")]) }
  }

  func stop() async {
    await client.stop()
    await simulator.stop()
  }
}

extension APNsNotification {
  static func test(
    token: String, type: PushType = .alert, priority: Int = 10, expiration: Int64 = 0, collapseID: String? = nil
  ) -> APNsNotification {
    APNsNotification(
      deviceToken: token, apnsID: UUID().uuidString.lowercased(), topic: "com.example.app", pushType: type,
      priority: priority, expiration: expiration, collapseID: collapseID,
      payload: Array((type == .alert ? #"{"aps":{"alert":"x"}}"# : #"{"aps":{"content-available":1}}"#).utf8))
  }

  static func tests(_ count: Int, prefix: String = "bb") -> [APNsNotification] {
    (0..<count).map { .test(token: prefix + String(format: "%06x", $0)) }
  }
}
