import HTTPServer
import JSON
import KitsCore
import Postgres
import TestSupport
import Testing

@testable import KitsAPI

/// K4 and the merge patch
struct UpdateTests {
  @Test("The revision decides: higher applies, lower and repeated change nothing, other content is a conflict (K4)")
  func revisions() async throws {
    let tenant = try await Tenant.make()
    let device = try await tenant.device(#"{"platform":"ios","app_version":"1"}"#)
    let applied = try await device.patch(#"{"state_revision":5,"app_version":"5","language":"de"}"#)
    #expect(applied.status == 200)
    #expect(applied.json["state_revision"]?.integer == 5)
    #expect(applied.json["app_version"]?.string == "5")
    #expect(applied.json["device_token"] == nil)
    let unchanged = [
      #"{"state_revision":4,"app_version":"4"}"#, #"{"state_revision":5,"language":"de","app_version":"5"}"#,
      #"{"state_revision":5,"app_version":"5"}"#, #"{"state_revision":5}"#,
      #"{"state_revision":5,"push_token":null,"coppa":false,"collection":{"users":true},"identifiers":null}"#,
    ]
    for body in unchanged {
      let reply = try await device.patch(body)
      #expect(reply.status == 200, "\(body)")
      #expect(reply.json == applied.json, "\(body)")
    }
    let different = [
      #""app_version":"6""#, #""app_version":null"#, #""push_token":"\#(Tenant.pushToken())""#, #""coppa":true"#,
      #""permission":"denied""#, #""push_preference":false"#, #""apns_environment":"sandbox""#, #""language":"fr""#,
      #""time_zone":"UTC""#, #""collection":{"events":false}"#, #""collection":{"enabled":false}"#,
      #""identifiers":{"guid":{"available":false}}"#, #""external_device_id":"d""#, #""customer_user_id":"u""#,
    ]
    for member in different {
      let reply = try await device.patch("{\"state_revision\":5,\(member)}")
      #expect(reply.status == 409, "\(member)")
      #expect(reply.code == "STATE_REVISION_REUSED", "\(member)")
      #expect(reply.json["retryable"]?.bool == false)
      #expect(reply.json["current"] == applied.json, "\(member)")
    }
    let next = try await device.patch(#"{"state_revision":9007199254740991,"app_version":"6"}"#)
    #expect(next.json["app_version"]?.string == "6")
  }

  @Test("Absent stays, null goes back to the default, a value is set")
  func mergePatch() async throws {
    let tenant = try await Tenant.make()
    let hash = String(repeating: "0", count: 64)
    let report = #"{"available":true,"hash":"\#(hash)"}"#
    let full = """
      "apns_environment":"sandbox","push_token":"\(Tenant.pushToken())","permission":"authorized",
      "push_preference":false,
      "app_version":"1","os_version":"2","model":"3","sdk_version":"4","language":"de","time_zone":"UTC",
      "external_device_id":"d","customer_user_id":"u","coppa":true,"collection":{"enabled":false,"events":false},
      "identifiers":{"idfv":\(report),"guid":\(report)}
      """
    let empty = try await tenant.register().json.object
    let device = try await tenant.device("{\"platform\":\"ios\",\(full)}")
    let before = try await device.read().json
    let touched = try await device.patch(#"{"state_revision":2,"platform":"ios"}"#).json
    for name in ["push_token", "permission", "language", "collection", "identifiers", "external_device_id", "coppa"] {
      #expect(touched[name] == before[name], "\(name)")
    }
    let one = try await device.patch(
      #"{"state_revision":3,"collection":{"events":null,"users":false},"identifiers":{"guid":null}}"#)
    #expect(one.json.at("collection", "enabled")?.bool == false)
    #expect(one.json.at("collection", "events")?.bool == true)
    #expect(one.json.at("collection", "users")?.bool == false)
    #expect(one.json["identifiers"]?.object?.keys == ["idfv"])
    let names = [
      "apns_environment", "push_token", "permission", "push_preference", "app_version", "os_version", "model",
      "sdk_version", "language", "time_zone", "external_device_id", "customer_user_id", "coppa", "collection",
      "identifiers",
    ]
    let cleared = try await device.patch(
      "{\"state_revision\":4," + names.map { "\"\($0)\":null" }.joined(separator: ",") + "}")
    #expect(cleared.status == 200)
    for name in names { #expect(cleared.json[name] == empty?[name], "\(name)") }
  }

  @Test("Sending the token again renews it and makes a suspect or unregistered one active (K4)", arguments: [2, 3])
  func revive(_ state: Int) async throws {
    let tenant = try await Tenant.make()
    let token = Tenant.pushToken()
    let device = try await tenant.device(#"{"platform":"ios","push_token":"\#(token)"}"#)
    try await tenant.running.pool.script(
      "UPDATE installation SET token_state = \(state) WHERE installation_id = '\(device.id)'")
    #expect(try await device.read().json["reachable"]?.bool == false)
    let before = try await device.read().json.at("push_token", "registered_at")?.string
    let reply = try await device.patch(#"{"state_revision":2,"push_token":"\#(token)"}"#)
    #expect(reply.json.at("push_token", "state")?.string == "active")
    #expect(reply.json["reachable"]?.bool == true)
    let after = try #require(reply.json.at("push_token", "registered_at")?.string)
    #expect(after >= (before ?? ""))
  }

  @Test("The device never has its user's id, whichever of both is stored already (T5)")
  func sameIDs() async throws {
    let tenant = try await Tenant.make()
    let both = try await tenant.register(#"{"platform":"ios","external_device_id":"x","customer_user_id":"x"}"#)
    #expect(both.faults == ["/external_device_id CONFLICT"])
    let device = try await tenant.device(#"{"platform":"ios","external_device_id":"x"}"#)
    let stored = try await device.patch(#"{"state_revision":2,"customer_user_id":"x"}"#)
    #expect(stored.status == 422)
    #expect(stored.faults == ["/external_device_id CONFLICT"])
    #expect(try await device.read().json["state_revision"]?.integer == 1)
    let swapped = try await device.patch(#"{"state_revision":2,"customer_user_id":"x","external_device_id":null}"#)
    #expect(swapped.status == 200)
    let other = try await device.patch(#"{"state_revision":3,"external_device_id":"x"}"#)
    #expect(other.faults == ["/external_device_id CONFLICT"])
    let differs = try await device.patch(#"{"state_revision":3,"external_device_id":"X"}"#)
    #expect(differs.status == 200)
  }

  @Test("The platform can't change, and both media types mean the same")
  func platformAndTypes() async throws {
    let tenant = try await Tenant.make()
    let device = try await tenant.device()
    let changed = try await device.patch(#"{"state_revision":2,"platform":"android"}"#)
    #expect(changed.faults == ["/platform NOT_ALLOWED"])
    let merged = try await tenant.running.send(
      "PATCH", device.path, headers: device.bearer + [("Content-Type", "application/merge-patch+json; charset=utf-8")],
      body: Array(#"{"state_revision":2,"model":"m"}"#.utf8))
    #expect(merged.json["model"]?.string == "m")
  }

  @Test("After the deletion the token is invalid, but deleting again is harmless")
  func deleted() async throws {
    let tenant = try await Tenant.make()
    let device = try await tenant.device(#"{"platform":"ios","push_token":"\#(Tenant.pushToken())"}"#)
    #expect(try await device.delete().status == 204)
    #expect(try await device.delete().status == 204)
    for reply in [
      try await device.read(), try await device.patch(#"{"state_revision":2}"#), try await device.patch("{}"),
    ] {
      #expect(reply.status == 401)
      #expect(reply.code == "DEVICE_TOKEN_INVALID")
    }
    let owners = try await tenant.running.count(
      "SELECT count(*) FROM token_owner JOIN app USING (app_no) WHERE app_id = '\(tenant.app.text)'")
    #expect(owners == 0)
  }

  @Test("A token of an older generation is invalid everywhere")
  func generation() async throws {
    let tenant = try await Tenant.make()
    let device = try await tenant.device()
    try await tenant.running.pool.script(
      "UPDATE installation SET generation = 2 WHERE installation_id = '\(device.id)'")
    for reply in [
      try await device.read(), try await device.patch(#"{"state_revision":2}"#), try await device.delete(),
    ] {
      #expect(reply.code == "DEVICE_TOKEN_INVALID")
    }
    #expect(try await tenant.installations() == 1)
  }

  @Test("A token minted under a retiring key is reissued by a PATCH, and both are good")
  func reissue() async throws {
    try await withDatabase { url in
      let old = try await RunningAPI(url: url)
      let device = try await Tenant.make(old).device()
      let new = try await RunningAPI(url: url, keys: TestKeys.ring(["k1", "k2"], minting: "k2"))
      let moved = Device(running: new, id: device.id, token: device.token)
      let reply = try await moved.patch(#"{"state_revision":2}"#)
      let token = try #require(reply.json["device_token"]?.string)
      #expect(token != device.token)
      for token in [token, device.token] {
        #expect(try await Device(running: new, id: device.id, token: token).read().status == 200)
      }
      let fresh = try await Device(running: new, id: device.id, token: token).patch(#"{"state_revision":3}"#)
      #expect(fresh.json["device_token"] == nil)
      for running in [old, new] {
        await running.server.stop(grace: .seconds(1))
        await running.pool.close()
      }
    }
  }
}
