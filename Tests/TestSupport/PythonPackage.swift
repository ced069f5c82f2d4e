internal import Foundation

/// Other people's implementations that only PyPI has, each in an environment of its own below `.build`.
package struct PythonPackage: Sendable {
  private let name: String
  private let version: String
  /// SHA-256 of its wheel: the very file that was looked at.
  private let digest: String

  /// Verifies webhooks as Standard Webhooks describes them.
  package static let standardWebhooks = PythonPackage(
    name: "standardwebhooks", version: "1.1.0",
    digest: "9a88d48a1f198be61517fc7ad328cf58ba02b73f0fbd8941d4213e9c0b6c2a61")

  /// The path of a Python that can import it. Fails where neither an earlier run nor the network has it: a test that
  /// needs it must not pass without.
  package func python() throws -> String {
    let place = "\(TestCluster.repository)/.build/python/\(name)-\(version)"
    let python = place + "/bin/python3"
    if Shell.run([python, "-c", "import \(name)"]).status == 0 { return python }
    let draft = "\(place)-\(UUID().uuidString.lowercased())"
    let requirements = draft + ".txt"
    try FileManager.default.createDirectory(
      atPath: TestCluster.repository + "/.build/python", withIntermediateDirectories: true)
    try Data("\(name)==\(version) --hash=sha256:\(digest)\n".utf8).write(to: URL(fileURLWithPath: requirements))
    defer { unlink(requirements) }
    try Self.run(["/usr/bin/python3", "-m", "venv", draft])
    try Self.run([
      draft + "/bin/python3", "-m", "pip", "--quiet", "--disable-pip-version-check", "--retries", "2", "--timeout",
      "20", "install", "--no-deps", "--only-binary=:all:", "--require-hashes", "--requirement", requirements,
    ])
    // An environment may be moved as long as it is used by its python3 alone. Another process may have been faster.
    if rename(draft, place) != 0 { try? FileManager.default.removeItem(atPath: draft) }
    return python
  }

  private static func run(_ arguments: [String]) throws {
    let output = Shell.run(arguments)
    guard output.status == 0 else { throw TestFailure("\(arguments.joined(separator: " ")):\n\(output.text)") }
  }
}
