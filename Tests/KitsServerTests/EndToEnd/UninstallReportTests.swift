import Foundation
import JSON
import TestSupport
import Testing

@Suite("From a 410 to the report")
struct UninstallReportTests {
  @Test("T9: 410s of a send are that day's uninstalls with the last versions, on every node; who returns is taken back")
  func uninstalls() async throws {
    try await withServer { server in
      let other = try await server.anotherNode()
      let tokens = (1...4).map { String(repeating: "0\($0)", count: 32) }
      var devices: [RunningServer.Device] = []
      for token in tokens { devices.append(try await server.register(token: token)) }
      for (device, version) in zip(devices, ["1.0", "1.1", "1.1", "1.1"]) {
        try await Self.patch(server, device, #"{"state_revision": 2, "app_version": "\#(version)"}"#)
      }
      for token in tokens.prefix(3) {
        _ = try await server.simulator.post(
          "/tokens",
          json: #"{"token": "\#(token)", "status": 410, "reason": "Unregistered", "timestamp": 4102444800000}"#)
      }
      let message = try await server.send(#"{"target": {"everyone": true}, "title": "Anyone there?"}"#)
      let sent = try await server.settled(message)
      #expect(sent["ledger"]?.object?["failed"]?.integer == 3)

      let first = try await Self.today("http://127.0.0.1:\(other.port)", server)
      #expect(first["installs"]?.integer == 4 && first["uninstalls"]?.integer == 3 && first["net"]?.integer == 1)
      let groups = try #require(first["groups"]?.array).compactMap(\.object)
      #expect(groups.map { $0["app_version"]?.string } == ["1.0", "1.1"])
      #expect(groups.map { $0["uninstalls"]?.integer } == [1, 2])

      // One returns under a new token, another one with the token that it had.
      let fresh = String(repeating: "f1", count: 32)
      try await Self.patch(server, devices[1], #"{"state_revision": 3, "push_token": "\#(fresh)"}"#)
      try await Self.patch(server, devices[2], #"{"state_revision": 3, "push_token": "\#(tokens[2])"}"#)
      let second = try await Self.today(server.baseURL, server)
      #expect(second["uninstalls"]?.integer == 1 && second["taken_back"]?.integer == 2)
      #expect(second["installs"]?.integer == 4)
    }
  }

  private static func patch(_ server: RunningServer, _ device: RunningServer.Device, _ json: String) async throws {
    let answer = try await server.call(
      "PATCH", "/v1/installations/\(device.id)", bearer: device.deviceToken, json: json)
    guard answer.status == 200 else { throw TestFailure("\(answer.status) \(answer.text)") }
  }

  private static func today(_ node: String, _ server: RunningServer) async throws -> JSONObject {
    let url = node + "/v1/reports/uninstalls?group_by=version"
    let answer = try await HTTPCall("GET", url, bearer: server.tenant.serverKey).answer()
    guard answer.status == 200, let day = answer.object["days"]?.array?.last?.object else {
      throw TestFailure("\(answer.status) \(answer.text)")
    }
    return day
  }
}
