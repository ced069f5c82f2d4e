import Crypto
import Foundation
import JSON
import KitsCore
import Testing

@testable import KitsAPI

/// K1, K3, K4, K5, T1, T8
struct RegistrationTests {
  private static func newKey() -> String { UUIDText.format(UUIDv7.make(now: 1)) }

  @Test("The smallest registration has every default and a device token that works")
  func smallest() async throws {
    let tenant = try await Tenant.make()
    let reply = try await tenant.register(#"{"platform":"ios","a_field_of_tomorrow":[1]}"#)
    #expect(reply.status == 201)
    #expect(reply.header("Idempotent-Replayed") == nil)
    #expect(reply.header("Cache-Control") == "no-store")
    var json = try #require(reply.json.object)
    let id = try #require(json["id"]?.string)
    #expect(reply.header("Location") == "/v1/installations/\(id)")
    let token = try #require(json["device_token"]?.string)
    #expect(token.wholeMatch(of: /kits_dt_[A-Za-z0-9_.\-]+/) != nil)
    #expect(json["binding"]?["number"]?.integer == 1)
    #expect(json["binding"]?["external_id"] == .null)
    #expect(json["binding"]?["verified"]?.bool == false)
    for name in ["id", "device_token", "binding", "created_at", "updated_at"] {
      #expect(json[name] != nil)
      json[name] = nil
    }
    let yes = JSONValue.bool(true)
    #expect(
      json == [
        "platform": .string("ios"), "apns_environment": .string("production"),
        "push_token": .object(["state": .string("none"), "suffix": .null, "registered_at": .null]),
        "permission": .string("unknown"), "push_preference": yes, "reachable": .bool(false), "app_version": .null,
        "os_version": .null, "model": .null, "sdk_version": .null, "language": .null, "time_zone": .null,
        "collection": .object([
          "enabled": yes, "users": yes, "events": yes, "activity": yes, "notification_events": yes,
        ]), "identifiers": .object([:]), "external_device_id": .null, "customer_user_id": .null,
        "coppa": .bool(false), "tags": .object([:]), "test_device": .bool(false), "state_revision": .integer(1),
      ])
    let read = try await Device(running: tenant.running, id: id, token: token).read()
    #expect(read.status == 200)
    var whole = try #require(reply.json.object)
    whole["device_token"] = nil
    #expect(read.json.object == whole)
  }

  @Test("A full registration is answered as it was sent, in the usual spelling")
  func full() async throws {
    let tenant = try await Tenant.make()
    let token = Tenant.pushToken()
    let hash = String(repeating: "Ab", count: 32)
    let reply = try await tenant.register(
      """
      {"platform":"ios","apns_environment":"sandbox","push_token":"\(token.uppercased())","permission":"authorized",
       "push_preference":true,"app_version":"4.2.0","os_version":"18.1","model":"iPhone16,2","sdk_version":"1.0.0",
       "language":"zh-hant-tw","time_zone":"America/Argentina/Buenos_Aires","state_revision":7,
       "collection":{"events":false,"users":null},"external_device_id":"d-1","customer_user_id":"u-1",
       "identifiers":{"idfv":{"available":true,"hash":"\(hash)"},"guid":null,
       "idfa":{"available":false,"limited":true,"message":"no"}}}
      """)
    #expect(reply.status == 201)
    let json = reply.json
    #expect(json["apns_environment"]?.string == "sandbox")
    #expect(json.at("push_token", "state")?.string == "active")
    #expect(json.at("push_token", "suffix")?.string == String(token.suffix(8)))
    #expect(json["reachable"]?.bool == true)
    #expect(json["language"]?.string == "zh-Hant-TW")
    #expect(json["time_zone"]?.string == "America/Argentina/Buenos_Aires")
    #expect(json["state_revision"]?.integer == 7)
    #expect(json.at("collection", "events")?.bool == false)
    #expect(json.at("collection", "users")?.bool == true)
    #expect(
      json["identifiers"]
        == .object([
          "idfa": .object([
            "available": .bool(false), "limited": .bool(true), "hash": .null, "message": .string("no"),
          ]),
          "idfv": .object([
            "available": .bool(true), "limited": .bool(false), "hash": .string(hash.lowercased()), "message": .null,
          ]),
        ]))
    #expect(!String(decoding: reply.body, as: UTF8.self).contains(token))
  }

  @Test("The key alone decides: the replay answers the same installation whatever the body is, and applies nothing")
  func replay() async throws {
    let tenant = try await Tenant.make()
    let key = Self.newKey()
    let first = try await tenant.register(#"{"platform":"ios","app_version":"1"}"#, key: key)
    #expect(first.status == 201)
    #expect(first.header("Idempotent-Replayed") == nil)
    for (body, spelling) in [
      (#"{"platform":"ios","app_version":"1"}"#, key), (#"{"platform":"android","app_version":"2"}"#, key.uppercased()),
      (#"{"platform":7,"app_version":""}"#, key), ("{}", key),
    ] {
      let again = try await tenant.register(body, key: spelling)
      #expect(again.status == 201)
      #expect(again.header("Idempotent-Replayed") == "true")
      #expect(again.json == first.json)
    }
    #expect(try await tenant.installations() == 1)
    #expect(try await tenant.register("[]", key: key).code == "INVALID_JSON")
    let stranger = try await Tenant.make().register(key: key)
    #expect(stranger.header("Idempotent-Replayed") == nil)
  }

  @Test("Registering twice without a key makes two installations")
  func withoutKey() async throws {
    let tenant = try await Tenant.make()
    let first = try await tenant.device()
    let second = try await tenant.device()
    #expect(first.id != second.id)
    #expect(try await tenant.installations() == 2)
  }

  @Test("Identical registrations at the same time make one installation")
  func concurrent() async throws {
    let tenant = try await Tenant.make()
    let key = Self.newKey()
    let body = #"{"platform":"ios","push_token":"\#(Tenant.pushToken())"}"#
    let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
      for _ in 0..<8 { group.addTask { try await tenant.register(body, key: key) } }
      return try await group.reduce(into: [Reply]()) { $0.append($1) }
    }
    #expect(replies.allSatisfy { $0.status == 201 })
    #expect(Set(replies.compactMap { $0.json["id"]?.string }).count == 1)
    #expect(replies.filter { $0.header("Idempotent-Replayed") == nil }.count == 1)
    #expect(try await tenant.installations() == 1)
  }

  @Test("The key of a deleted installation is used up")
  func deletedSince() async throws {
    let tenant = try await Tenant.make()
    let key = Self.newKey()
    let reply = try await tenant.register(key: key)
    let device = Device(
      running: tenant.running, id: try #require(reply.json["id"]?.string),
      token: try #require(reply.json["device_token"]?.string))
    #expect(try await device.delete().status == 204)
    for body in [#"{"platform":"ios"}"#, "{}"] {
      let again = try await tenant.register(body, key: key)
      #expect(again.status == 409)
      #expect(again.code == "IDEMPOTENCY_KEY_REUSED")
    }
    #expect(try await tenant.installations() == 0)
  }

  @Test("An idempotency key that is no UUID is refused", arguments: ["x", "", "3f0d6c7e2b574c0f9a366f1f0f5f8a11"])
  func malformedKey(_ key: String) async throws {
    let tenant = try await Tenant.make()
    let reply = try await tenant.register(key: key)
    #expect(reply.status == 400)
    #expect(reply.code == "IDEMPOTENCY_KEY_INVALID")
    #expect(reply.faults == ["Idempotency-Key BAD_FORMAT"])
    #expect(try await tenant.installations() == 0)
  }

  @Test("A push token moves to the installation that registered it last (T8)")
  func tokenMoves() async throws {
    let tenant = try await Tenant.make()
    let body = #"{"platform":"ios","permission":"authorized","push_token":"\#(Tenant.pushToken())"}"#
    let old = try await tenant.device(body)
    let new = try await tenant.device(body)
    let before = try await old.read().json
    #expect(before["push_token"] == .object(["state": .string("none"), "suffix": .null, "registered_at": .null]))
    #expect(before["reachable"]?.bool == false)
    #expect(try await new.read().json["reachable"]?.bool == true)
    let taken = try await old.patch(#"{"state_revision":2,"# + body.dropFirst())
    #expect(taken.status == 200)
    #expect(taken.json["reachable"]?.bool == true)
    #expect(try await new.read().json["reachable"]?.bool == false)
  }

  @Test("A platform that the app doesn't have is refused")
  func platform() async throws {
    let tenant = try await Tenant.make(platforms: [.ios])
    let reply = try await tenant.register(#"{"platform":"android"}"#)
    #expect(reply.status == 422)
    #expect(reply.faults == ["/platform NOT_ALLOWED"])
    #expect(try await tenant.installations() == 0)
  }

  @Test("Either the permission or the preference makes an installation unreachable (K5)")
  func reachable() async throws {
    let tenant = try await Tenant.make()
    for (permission, preference, isReachable) in [
      ("unknown", true, true), ("authorized", true, true), ("provisional", true, true), ("ephemeral", true, true),
      ("denied", true, false), ("not_determined", true, false), ("authorized", false, false),
    ] {
      let settings = #""permission":"\#(permission)","push_preference":\#(preference)"#
      let reply = try await tenant.register(
        #"{"platform":"ios","push_token":"\#(Tenant.pushToken())",\#(settings)}"#)
      #expect(reply.json["permission"]?.string == permission)
      #expect(reply.json["push_preference"]?.bool == preference)
      #expect(reply.json["reachable"]?.bool == isReachable, "\(permission) \(preference)")
    }
    let android = try await tenant.register(
      #"{"platform":"android","push_token":"a:b","apns_environment":"sandbox"}"#)
    #expect(android.json["reachable"]?.bool == false)
    #expect(android.json["apns_environment"]?.string == "production")
    #expect(android.json.at("push_token", "state")?.string == "active")
  }
}
