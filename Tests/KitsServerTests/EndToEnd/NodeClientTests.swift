import Foundation
import JSON
import TestSupport
import Testing

/// `clients/node/kits.mjs` by Node's own test runner, against the running server.
@Suite("The Node client")
struct NodeClientTests {
  private static let hasNode = Shell.run(["/usr/bin/env", "node", "--version"]).status == 0

  @Test(
    "Its tests pass, those against a server among them (K26, K29)", .enabled(if: hasNode, "needs Debian's nodejs"))
  func tests() async throws {
    try await withServer { server in
      let output = Shell.run(
        [
          "/usr/bin/env", "node", "--test", "--test-reporter=tap",
          TestCluster.repository + "/clients/node/kits.test.mjs",
        ],
        environment: [
          "KITS_BASE_URL": server.baseURL, "KITS_SERVER_KEY": server.tenant.serverKey,
          "KITS_APP_ID": server.tenant.appID,
        ])
      #expect(output.status == 0, "\(output.text)")
      // The login needs an app in VERIFIED mode. (Versions of Node differ in what their last lines count.)
      #expect(output.text.components(separatedBy: " # SKIP").count - 1 == 1, "\(output.text)")
      #expect(output.text.components(separatedBy: "ok 13 - messages.create against").count - 1 == 1)
      let messages = try await server.call("GET", "/v1/messages")
      #expect(messages.object["data"]?.array?.count == 1)
    }
  }
}
