import Crypto
import Foundation
import JSON
import TestSupport
import Testing

/// The whole way, on real parts (K3, K4, K15, K16, K26, T8).
@Suite("A push from end to end", .serialized)
struct FirstPushTests {
  static let token = String(repeating: "ab", count: 32)

  @Test("K4 K26: a registered device gets the message that the command line sends, and the ledger says so")
  func firstPush() async throws {
    try await withServer { server in
      let device = try await server.register(token: Self.token)
      let key = server.environment.merging(["KITS_SERVER_KEY": server.tenant.serverKey]) { $1 }
      let sent = try await KitsProcess.run(
        "message", "send", "--url", server.baseURL, "--app", server.tenant.appID, "--installation", device.id,
        "--title", "Hello", "--body", "The first push", "--data", #"{"order": 4711}"#, "--json", environment: key)
      #expect(sent.status == 0, "\(sent)")
      let id = try sent.field("id")
      let watched = try await KitsProcess.run("message", "watch", id, "--url", server.baseURL, environment: key)
      #expect(watched.status == 0, "\(watched)")
      #expect(watched.standardError.hasSuffix("100% 1/1 completed\n"))
      #expect(watched.standardOutput == "state     completed\ntargeted  1\naccepted  1\nfailed    0\n")
      let json = try await KitsProcess.run(
        "message", "watch", id, "--url", server.baseURL, "--json", environment: key)
      #expect(try json.field("state") == "completed")
      #expect(json.standardError.isEmpty)

      let notification = try #require(try await server.simulator.notifications(token: Self.token).first)
      let headers = try #require(notification["headers"] as? [String: String])
      #expect(headers["apns-topic"] == Tenant.bundleID)
      #expect(headers["apns-push-type"] == "alert")
      #expect(
        notification["payload"] as? String
          == #"{"aps":{"alert":{"title":"Hello","body":"The first push"}},"data":{"order":4711},"#
          + #""kits_version":1,"kits_message_id":"\#(id)"}"#)
    }
  }

  @Test("K9 K13: a tracked push carries its marks to the device, which tells what it received with nothing else")
  func tracked() async throws {
    try await withServer { server in
      let device = try await server.register(token: Self.token)
      _ = try await server.settled(
        try await server.send(
          #"{"target": {"installation_ids": ["\#(device.id)"]}, "title": "Hello", "track_events": true,"#
            + #" "track_receipts": true}"#))
      let notification = try #require(try await server.simulator.notifications(token: Self.token).first)
      let text = try #require(notification["payload"] as? String)
      let payload = try #require(try JSON.parse(Array(text.utf8)).object)
      #expect(
        payload.keys == ["aps", "kits_version", "kits_message_id", "kits_delivery_id", "kits_receipt_token"])
      #expect(payload["aps"]?.object?["mutable-content"]?.integer == 1)
      let id = try #require(payload["kits_delivery_id"]?.string)
      let token = try #require(payload["kits_receipt_token"]?.string)
      let receipt = try await server.call(
        "POST", "/v1/receipts", json: #"{"delivery_id": "\#(id)", "version": 1, "receipt_token": "\#(token)"}"#)
      #expect(receipt.status == 200 && receipt.text == #"{"result":"recorded"}"#, "\(receipt.text)")
      let events = ["RECEIVED", "CLICKED"].map { type in
        #"{"delivery_id": "\#(id)", "version": 1, "type": "\#(type)", "occurred_at": "2026-11-30T08:15:30Z"}"#
      }
      let told = try await server.call(
        "POST", "/v1/installations/\(device.id)/notification-events", bearer: device.deviceToken,
        json: #"{"events": [\#(events.joined(separator: ","))]}"#)
      #expect(told.text == #"{"results":[{"result":"duplicate"},{"result":"recorded"}]}"#)
    }
  }

  @Test("T9: APNs' 410 retires the installation: the ledger counts it as failed, and the next message leaves it out")
  func unregistered() async throws {
    try await withServer { server in
      let device = try await server.register(token: Self.token)
      try await server.simulator.post(
        "/tokens",
        json: #"{"token": "\#(Self.token)", "status": 410, "reason": "Unregistered", "timestamp": 4102444800000}"#)
      let target = #"{"target": {"installation_ids": ["\#(device.id)"]}, "title": "Hello"}"#
      let first = try await server.settled(try await server.send(target))
      #expect(first.ledger("failed") == 1 && first.ledgerAddsUp)
      #expect(first["reasons"]?.array?.first?.object?["reason"]?.string == "Unregistered")

      let second = try await server.settled(try await server.send(target))
      #expect(second.ledger("accepted") == 0 && second.ledgerAddsUp)
      #expect(try await server.simulator.count(reason: "Unregistered") == 1)

      // The device shows that it is alive: its token is good again (K4).
      try await server.simulator.delete("/tokens")
      let update = try await server.call(
        "PATCH", "/v1/installations/\(device.id)", bearer: device.deviceToken,
        json: #"{"state_revision": 2, "push_token": "\#(Self.token)"}"#)
      #expect(update.status == 200, "\(update.text)")
      let third = try await server.settled(try await server.send(target))
      #expect(third.ledger("accepted") == 1)
    }
  }

  @Test("A server key works until it is revoked and not a request longer")
  func revokedKey() async throws {
    try await withServer { server in
      #expect(try await server.call("GET", "/v1/messages").status == 200)
      let revoked = try await KitsProcess.run(
        "key", "revoke", server.tenant.serverKeyID, environment: server.environment)
      #expect(revoked.status == 0)
      let refused = try await server.call("GET", "/v1/messages")
      #expect(refused.status == 401 && refused.code == "SERVER_KEY_INVALID")
      let command = try await KitsProcess.run(
        "message", "send", "--url", server.baseURL, "--everyone", "--title", "a", "--body", "b",
        environment: ["KITS_SERVER_KEY": server.tenant.serverKey])
      #expect(command.status == 1)
      #expect(command.standardError.contains("SERVER_KEY_INVALID"))
    }
  }

  @Test("A push that APNs fails at is tried again after KITS_RETRY_SECONDS, under the same apns-id")
  func retried() async throws {
    try await withServer(settings: ["KITS_RETRY_SECONDS": "1"]) { server in
      let device = try await server.register(token: Self.token)
      try await server.simulator.post(
        "/tokens",
        json: #"{"token": "\#(Self.token)", "status": 503, "reason": "ServiceUnavailable", "times": 1}"#)
      let id = try await server.send(#"{"target": {"installation_ids": ["\#(device.id)"]}, "title": "Hello"}"#)
      let message = try await server.settled(id)
      #expect(message.ledger("accepted") == 1 && message.ledgerAddsUp)
      #expect(try await server.simulator.count("received") == 2)
      let metrics = try await HTTPCall("GET", server.adminURL + "/metrics").answer().text
      #expect(metrics.contains("kits_retries_scheduled_total 1\n"))
      #expect(metrics.contains("kits_ledger_mismatch 0\n"))
    }
  }

  @Test("K33: nothing secret is in the logs, whatever was sent and refused")
  func secrets() async throws {
    try await withServer { server in
      let key = "01936b2e-8c4f-4d21-9a53-2f6c1b8e4d70"
      let answer = try await HTTPCall(
        "POST", server.baseURL + "/v1/installations",
        headers: [
          (name: "X-Kits-Public-Key", value: server.tenant.publicKey), (name: "Idempotency-Key", value: key),
        ], json: #"{"platform": "ios", "push_token": "\#(Self.token)", "language": "en"}"#
      ).answer()
      let id = try #require(answer.object["id"]?.string)
      let deviceToken = try #require(answer.object["device_token"]?.string)
      _ = try await server.settled(
        try await server.send(#"{"target": {"everyone": true}, "title": "canary title", "body": "canary body"}"#))
      // Refusals of every kind, each with a secret in it.
      for bearer in [deviceToken + "x", String(deviceToken.dropLast()), server.tenant.serverKey + "x"] {
        #expect(try await server.call("GET", "/v1/installations/\(id)", bearer: bearer).status == 401)
      }
      #expect(try await server.call("POST", "/v1/messages", json: #"{"title": "canary title"#).status == 400)
      #expect(
        try await server.call(
          "PATCH", "/v1/installations/\(id)", bearer: deviceToken,
          json: #"{"state_revision": 2, "push_token": "\#(Self.token)é"}"#
        ).status == 422)
      server.signal(SIGTERM)
      #expect(try await server.ending().status == 0)
      let log = server.log
      #expect(log.contains("provider_token_minted"))
      let body = server.apnsKey.pkcs8PEM.split(separator: "\n").dropFirst().dropLast().map(String.init)
      let master = try #require(server.environment["KITS_MASTER_KEYS"]?.dropFirst(3))
      let secrets =
        [
          server.tenant.serverKey, deviceToken, String(deviceToken.suffix(20)), Self.token, key, String(master),
          "PRIVATE KEY", "eyJ", "canary", "Bearer kits", server.databaseURL,
        ] + body
      for secret in secrets { #expect(!log.contains(secret), "\(secret)") }
    }
  }
}
