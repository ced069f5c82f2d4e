import JSON
import KitsCore
import Testing

@testable import KitsAPI

/// K1, K2, T1
struct ConfigTests {
  @Test("The public key alone gets the configuration of its app")
  func config() async throws {
    let tenant = try await Tenant.make()
    let reply = try await tenant.running.send(
      "GET", "/v1/sdk/config", headers: [("x-kits-public-key", tenant.publicKey.text)])
    #expect(reply.status == 200)
    #expect(reply.header("Content-Type") == "application/json")
    #expect(reply.header("Cache-Control") == "no-store")
    #expect(reply.header("X-Request-Id")?.isEmpty == false)
    let time = try #require(reply.json["server_time"]?.string)
    #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    var rest = try #require(reply.json.object)
    rest["server_time"] = nil
    #expect(
      rest == [
        "app_id": .string(tenant.app.text), "auth_mode": .string("BASIC"), "policy_revision": .integer(1),
        "collection": .object([
          "enabled": .bool(true), "users": .bool(true), "events": .bool(true), "activity": .bool(true),
          "notification_events": .bool(true),
        ]), "identifiers": .object(["policy": .string("global"), "expose_raw": .bool(false)]),
        "request_signing": .object(["mode": .string("off"), "bucket_seconds": .integer(300)]),
        "receipts": .object(["url": .string("https://push.example.com/v1/receipts")]),
        "limits": .object([
          "body_bytes": .integer(262_144), "external_id_bytes": .integer(256), "events_per_call": .integer(100),
          "tags": .integer(64), "tag_key_bytes": .integer(64), "tag_value_bytes": .integer(256),
        ]),
      ])
  }

  @Test("HEAD is answered like GET without the body")
  func head() async throws {
    let tenant = try await Tenant.make()
    let reply = try await tenant.running.send(
      "HEAD", "/v1/sdk/config", headers: [("X-Kits-Public-Key", tenant.publicKey.text)])
    #expect(reply.status == 200)
    #expect(reply.body.isEmpty)
  }

  @Test("A public key that no app has, or that is none, is refused for good")
  func unknownKey() async throws {
    let running = try await RunningAPI.shared.value
    for key in [PublicKey.generate().text, "kits_pk_", "x", PublicKey.generate().text + "0"] {
      let reply = try await running.send("GET", "/v1/sdk/config", headers: [("X-Kits-Public-Key", key)])
      #expect(reply.status == 401)
      #expect(reply.code == "PUBLIC_KEY_INVALID")
      #expect(reply.header("WWW-Authenticate") == "Bearer")
      #expect(reply.json["retryable"]?.bool == false)
    }
  }
}
