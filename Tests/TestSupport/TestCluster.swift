internal import Foundation

/// A private PostgreSQL cluster made by `deploy/postgres`, without durability (its machine never loses power
/// mid-test). It is stopped and removed when the test process ends, however it ends.
package final class TestCluster: Sendable {
  package let directory: String
  /// Of the database `kits`, as superuser.
  package let url: String

  /// The one that all tests of this process share; `KITS_TEST_DATABASE_URL` names an existing server instead.
  package static var shared: String {
    get throws {
      if let url = ProcessInfo.processInfo.environment["KITS_TEST_DATABASE_URL"] { return url }
      return try sharedCluster.get().url
    }
  }

  private static let sharedCluster = Result { try TestCluster() }

  private static let withoutDurability = "-c fsync=off -c full_page_writes=off -c max_connections=400"
  private let options: String

  /// A cluster of its own, for tests that stop the server or need other options.
  package init(options: String? = nil) throws {
    self.options = options ?? Self.withoutDurability
    directory = "/tmp/kits-test-" + UUID().uuidString.prefix(8).lowercased()
    Shell.atExit("exec \"$1\" remove \"$2\"", [Self.tool, directory])
    try Self.script("start", directory, "0", options: self.options)
    url = try Self.script("url", directory)
  }

  package func start() throws { try Self.script("start", directory, "0", options: options) }
  package func stop(_ mode: StopMode = .fast) throws { try Self.script("stop", directory, mode.rawValue) }
  package func remove() throws { try Self.script("remove", directory) }

  package enum StopMode: String, Sendable {
    case fast
    /// As if the server had crashed.
    case immediate
  }

  /// The root of the checkout.
  package static let repository =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  private static let tool = repository + "/deploy/postgres"

  @discardableResult
  private static func script(_ arguments: String..., options: String = withoutDurability) throws -> String {
    let output = Shell.run([tool] + arguments, environment: ["KITS_POSTGRES_OPTIONS": options])
    guard output.status == 0 else { throw TestClusterError(arguments: arguments, output: output.text) }
    return output.text.trimmingCharacters(in: .newlines)
  }
}

package struct TestClusterError: Error {
  package let arguments: [String]
  package let output: String
}
