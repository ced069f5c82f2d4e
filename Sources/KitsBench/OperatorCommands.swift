import JSON

/// The operator's commands that prepare the database.
struct OperatorCommands {
  let kits: String
  let environment: [String: String]

  func migrate() throws(BenchError) {
    _ = try Child.output(of: [kits, "migrate"], environment: environment)
  }

  /// The id of its environment.
  func createProject() throws(BenchError) -> String {
    try run(["project", "create", "--name", "Bench"], "environment_id")["environment_id"] ?? ""
  }

  func createApp(
    _ name: String, in place: String, bundleID: String, _ credential: ProviderCredential
  ) throws(BenchError) -> (id: String, publicKey: String) {
    let made = try run(
      [
        "app", "create", "--environment", place, "--name", name, "--platform", "ios", "--bundle-id", bundleID,
        "--apns-key-file", credential.keyFile, "--apns-key-id", credential.keyID, "--apns-team-id", credential.teamID,
      ], "app_id", "public_key")
    return (made["app_id"] ?? "", made["public_key"] ?? "")
  }

  func createKey(in place: String) throws(BenchError) -> String {
    try run(
      [
        "key", "create", "--environment", place, "--name", "bench", "--scope", "messages:send", "--scope",
        "messages:read", "--scope", "segments:read", "--scope", "webhooks:write",
      ], "server_key")["server_key"] ?? ""
  }

  /// Runs a command and picks members of what it prints; a missing one is an error.
  private func run(_ arguments: [String], _ names: String...) throws(BenchError) -> [String: String] {
    let text = try Child.output(of: [kits] + arguments + ["--json"], environment: environment)
    let object = (try? JSON.parse(Array(text.utf8)))?.object ?? [:]
    var found: [String: String] = [:]
    for name in names {
      guard let value = object[name]?.string else {
        throw BenchError("kits \(arguments[0]) answered no \(name): \(text)")
      }
      found[name] = value
    }
    return found
  }
}
