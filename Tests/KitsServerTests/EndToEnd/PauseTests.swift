import Crypto
import Foundation
import JSON
import TestSupport
import Testing

/// An app whose credential is at fault is paused, and nothing of it is lost.
@Suite("Pausing and resuming an app", .serialized)
struct PauseTests {
  static let devices = 1_000
  static let everyone = #"{"target": {"everyone": true}, "title": "Hello"}"#

  private func app(_ server: RunningServer, _ arguments: [String], input: String? = nil) async throws -> JSONObject {
    let ending = try await KitsProcess(
      ["app"] + arguments + ["--json"], environment: server.environment, input: input
    ).ending()
    guard ending.status == 0, let object = try JSON.parse(Array(ending.standardOutput.utf8)).object else {
      throw TestFailure("kits app \(arguments): \(ending)")
    }
    return object
  }

  private func setKey(_ server: RunningServer, _ key: P256PrivateKey) async throws {
    _ = try await app(
      server,
      [
        "set-key", server.tenant.appID, "--apns-key-file", "-", "--apns-key-id", Tenant.keyID, "--apns-team-id",
        Tenant.teamID,
      ], input: key.pkcs8PEM)
  }

  private func paused(_ server: RunningServer, _ id: String) async throws -> JSONObject {
    try await eventually("message \(id) is paused") {
      let message = try await server.message(id)
      return message["state"]?.string == "paused" && message["planned"]?.bool == true ? message : nil
    }
  }

  @Test("A wrong key pauses the app within two windows of each lane; once it is mended everybody gets one push")
  func wrongKey() async throws {
    try await withServer { server in
      try await server.fill(Self.devices)
      try await setKey(server, P256PrivateKey())
      let id = try await server.send(Self.everyone)
      let message = try await paused(server, id)
      let pause = try #require(message["pause"]?.object)
      #expect(pause["apns_environment"]?.string == "production" && pause["reason"]?.string == "credential")
      #expect(pause["detail"]?.string == "InvalidProviderToken" && pause["since"]?.string != nil)
      #expect(message.ledger("pending") == Int64(Self.devices) && message.ledgerAddsUp)
      // Four lanes with a window of 100 each.
      #expect(try await server.simulator.count(reason: "InvalidProviderToken") <= 800)
      #expect(server.log.contains(#""event":"app_paused""#))
      let list = try await app(server, ["list"])
      #expect(list["apps"]?.array?.first?.object?["paused"]?.array == [.string("production: credential")])

      try await setKey(server, server.apnsKey)
      let resumed = try await app(server, ["resume", server.tenant.appID])
      #expect(resumed["pauses"]?.array == [] && resumed["deliveries_due"]?.integer ?? 0 > 0)
      let settled = try await server.settled(id)
      #expect(settled["state"]?.string == "completed" && settled["pause"] == .null)
      #expect(settled.ledger("accepted") == Int64(Self.devices) && settled.ledgerAddsUp)
      #expect(try await server.simulator.count("accepted") == Self.devices)
      #expect(try await server.simulator.count("distinct_tokens") == Self.devices)
      #expect(try await server.simulator.count("duplicate_apns_ids") == 0)
    }
  }

  @Test("Rubbish that was registered with the public key pauses nothing, however much of it there is")
  func rubbish() async throws {
    try await withServer { server in
      try await server.fill(3_000)
      try await server.simulator.post("/script", json: #"{"rules": [{"prefix": "", "reason": "BadDeviceToken"}]}"#)
      let refused = try await server.settled(try await server.send(Self.everyone))
      #expect(refused.ledger("failed") == 3_000 && refused.ledgerAddsUp)
      try await server.simulator.delete("/script")
      let device = try await server.register(token: FirstPushTests.token)
      let target = #"{"target": {"installation_ids": ["\#(device.id)"]}, "title": "Hello"}"#
      #expect(try await server.settled(try await server.send(target)).ledger("accepted") == 1)
      #expect(!server.log.contains("app_paused"))
    }
  }

  @Test("Proven tokens that are refused in large numbers pause the app; resuming lifts them and sends what they missed")
  func proven() async throws {
    try await withServer { server in
      try await server.fill(Self.devices)
      let first = try await server.settled(try await server.send(Self.everyone))
      #expect(first.ledger("accepted") == Int64(Self.devices))
      try await server.simulator.post(
        "/script", json: #"{"rules": [{"prefix": "", "reason": "DeviceTokenNotForTopic"}]}"#)
      let id = try await server.send(Self.everyone)
      let message = try await paused(server, id)
      #expect(message["pause"]?.object?["reason"]?.string == "tokens_refused")
      #expect(message["pause"]?.object?["detail"]?.string == "DeviceTokenNotForTopic")
      // The windows before the one that decided are final; of four lanes at most one each.
      let failed = try #require(message.ledger("failed"))
      #expect(failed <= 400 && message.ledgerAddsUp)
      #expect(message.ledger("pending") == Int64(Self.devices) - failed)

      try await server.simulator.delete("/script")
      let resumed = try await app(server, ["resume", server.tenant.appID])
      #expect(resumed["tokens_lifted"]?.integer ?? 0 >= 100)
      let settled = try await server.settled(id)
      #expect(settled.ledger("accepted") == Int64(Self.devices) - failed && settled.ledgerAddsUp)
      #expect(try await server.simulator.count("duplicate_apns_ids") == 0)
      let third = try await server.settled(try await server.send(Self.everyone))
      #expect(third.ledger("targeted") == Int64(Self.devices) && third.ledger("accepted") == Int64(Self.devices))
    }
  }

  @Test("A provider token that is called expired minutes after it was made means a wrong clock: paused, not made anew")
  func clockFault() async throws {
    try await withServer { server in
      try await server.fill(10)
      try await server.simulator.post(
        "/script", json: #"{"rules": [{"prefix": "", "reason": "ExpiredProviderToken"}]}"#)
      let id = try await server.send(Self.everyone)
      let message = try await paused(server, id)
      #expect(message["pause"]?.object?["reason"]?.string == "clock_fault")
      #expect(message.ledger("pending") == 10 && message.ledgerAddsUp)
      #expect(server.log.components(separatedBy: "provider_token_minted").count == 2)
      try await server.simulator.delete("/script")
      _ = try await app(server, ["resume", server.tenant.appID])
      #expect(try await server.settled(id).ledger("accepted") == 10)
      #expect(server.log.components(separatedBy: "provider_token_minted").count == 3)
    }
  }

  @Test("An operator's pause holds one APNs environment, shows its reason, and a cancel ends what it holds")
  func byOperator() async throws {
    try await withServer { server in
      try await server.fill(10)
      try await server.query("UPDATE installation SET apns_environment = 2 WHERE installation_no % 2 = 0")
      let pause = try await app(
        server, ["pause", server.tenant.appID, "--apns-environment", "sandbox", "--reason", "wrong text"])
      #expect(pause["pauses"]?.array?.count == 1)
      let id = try await server.send(Self.everyone)
      try await server.simulator.wait("accepted=5")
      let message = try await eventually("half of it is sent") {
        let message = try await server.message(id)
        return message.ledger("accepted") == 5 ? message : nil
      }
      #expect(message["state"]?.string == "paused" && message["pause"]?.object?["detail"]?.string == "wrong text")
      #expect(message["pause"]?.object?["apns_environment"]?.string == "sandbox")
      #expect(message.ledger("pending") == 5)
      let canceled = try await server.call("POST", "/v1/messages/\(id)/cancel")
      #expect(canceled.object["state"]?.string == "canceled")
      #expect(try await server.settled(id).ledger("canceled") == 5)
    }
  }
}
