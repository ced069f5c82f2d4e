internal import Crypto

/// An app with its keys, made by the command line as an operator would.
package struct Tenant: Sendable {
  package static let bundleID = "com.example.test"
  package static let keyID = "TESTKEY001"
  package static let teamID = "TESTTEAM01"

  package let environmentID: String
  package let appID: String
  package let publicKey: String
  package let serverKey: String
  package let serverKeyID: String

  /// - Parameter environment: the settings of the server.
  static func create(_ environment: [String: String], apnsKey: P256PrivateKey) async throws -> Tenant {
    func run(_ arguments: String..., input: String? = nil) async throws -> KitsProcess.Ending {
      let ending = try await KitsProcess(arguments + ["--json"], environment: environment, input: input).ending()
      guard ending.status == 0 else { throw TestFailure("kits \(arguments.prefix(2)): \(ending)") }
      return ending
    }
    let environmentID = try await run("project", "create", "--name", "Test").field("environment_id")
    let app = try await run(
      "app", "create", "--environment", environmentID, "--name", "Test app", "--platform", "ios", "--bundle-id",
      bundleID, "--apns-key-file", "-", "--apns-key-id", keyID, "--apns-team-id", teamID, input: apnsKey.pkcs8PEM)
    let scopes = [
      "messages:send", "messages:read", "installations:read", "installations:write", "users:read", "users:write",
      "segments:read", "segments:write",
    ]
    let key = try await KitsProcess(
      ["key", "create", "--environment", environmentID, "--name", "test", "--json"]
        + scopes.flatMap { ["--scope", $0] }, environment: environment
    ).ending()
    return Tenant(
      environmentID: environmentID, appID: try app.field("app_id"), publicKey: try app.field("public_key"),
      serverKey: try key.field("server_key"), serverKeyID: try key.field("key_id"))
  }
}
