import Crypto
import JSON
import KitsCore
import KitsStore
import Postgres
import Testing

@testable import KitsAPI

/// T4 to T6, U2 to U5
struct IdentifierTests {
  static func hash(_ character: Character) -> String { String(repeating: character, count: 64) }

  static func report(_ character: Character) -> String { #"{"available":true,"hash":"\#(hash(character))"}"# }

  private static func tenant(_ policy: IdentifierPolicy = .global, raw: Bool = false) async throws -> Tenant {
    let tenant = try await Tenant.make()
    try await tenant.running.pool.script(
      """
      UPDATE environment SET identifier_policy = \(policy.rawValue), raw_identifiers = \(raw)
      WHERE environment_id = '\(tenant.environment.text)'
      """)
    return tenant
  }

  private static func best(_ device: Device, _ tenant: Tenant) async throws -> JSONValue? {
    let key = try await tenant.serverKey([.installationsRead])
    let reply = try await tenant.running.send(
      "GET", device.path, headers: [("Authorization", "Bearer \(key.secret.text)")])
    return reply.json.at("identifiers", "best")
  }

  @Test("Global takes all three and ranks idfa, idfv, guid; a device isn't told (U4)")
  func global() async throws {
    let tenant = try await Self.tenant()
    let device = try await tenant.device(
      #"{"platform":"ios","identifiers":{"guid":\#(Self.report("c")),"idfa":\#(Self.report("a"))}}"#)
    #expect(try await Self.best(device, tenant) == .string("idfa"))
    #expect(try await device.read().json.at("identifiers", "best") == nil)
    let gone = #"{"state_revision":2,"identifiers":{"idfa":{"available":false,"limited":true}}}"#
    #expect(try await device.patch(gone).status == 200)
    #expect(try await Self.best(device, tenant) == .string("guid"))
    #expect(try await device.patch(#"{"state_revision":3,"identifiers":{"idfv":\#(Self.report("b"))}}"#).status == 200)
    #expect(try await Self.best(device, tenant) == .string("idfv"))
    #expect(try await device.patch(#"{"state_revision":4,"identifiers":null}"#).status == 200)
    #expect(try await Self.best(device, tenant) == .null)
  }

  @Test("cn and strict take no idfa, at registration and later (U4)", arguments: [IdentifierPolicy.cn, .strict])
  func policies(policy: IdentifierPolicy) async throws {
    let tenant = try await Self.tenant(policy)
    let idfa = #""identifiers":{"idfa":\#(Self.report("a")),"idfv":\#(Self.report("b"))}"#
    let reply = try await tenant.register(#"{"platform":"ios",\#(idfa)}"#)
    #expect(reply.status == 422)
    #expect(reply.code == "BODY_INVALID")
    #expect(reply.faults == ["/identifiers/idfa NOT_ALLOWED"])
    #expect(reply.json["errors"]?.array?.first?["detail"]?.string?.contains("forbids") == (policy == .strict))
    #expect(try await tenant.installations() == 0)
    let device = try await tenant.device(
      #"{"platform":"ios","identifiers":{"idfa":{"available":false,"message":"off"},"idfv":\#(Self.report("b"))}}"#)
    #expect(try await device.read().json["identifiers"]?.object?.keys == ["idfv"])
    let patch = try await device.patch(#"{"state_revision":2,"model":"x",\#(idfa)}"#)
    #expect(patch.faults == ["/identifiers/idfa NOT_ALLOWED"])
    let now = try await device.read().json
    #expect(now["state_revision"]?.integer == 1)
    #expect(now["model"]?.isNull == true)
    #expect(try await Self.best(device, tenant) == .string("idfv"))
  }

  @Test("A policy that became stricter counts from the next request on, and removes what it doesn't take")
  func stricter() async throws {
    let tenant = try await Self.tenant()
    let device = try await tenant.device(
      #"{"platform":"ios","identifiers":{"idfa":\#(Self.report("a")),"guid":\#(Self.report("c"))}}"#)
    try await tenant.running.pool.script(
      "UPDATE environment SET identifier_policy = 3 WHERE environment_id = '\(tenant.environment.text)'")
    #expect(try await Self.best(device, tenant) == .string("guid"))
    #expect(try await device.patch(#"{"state_revision":2,"model":"x"}"#).status == 200)
    #expect(try await device.read().json["identifiers"]?.object?.keys == ["guid"])
  }

  @Test("The all-zero identifier, and no text at all, are none, however they are written (U3)")
  func nothing() async throws {
    let tenant = try await Self.tenant(raw: true)
    let zero = Hex.encode(SHA256.hash(Array("00000000-0000-0000-0000-000000000000".utf8)))
    let empty = Hex.encode(SHA256.hash([]))
    #expect(IdentifierReport.hashesOfNothing == [zero, empty])
    for value in [
      #""hash":"\#(zero)""#, #""hash":"\#(zero.uppercased())""#, #""hash":"\#(empty)""#,
      #""value":"00000000-0000-0000-0000-000000000000""#,
    ] {
      let device = try await tenant.device(
        #"{"platform":"ios","identifiers":{"idfa":{"available":true,"limited":true,\#(value)}}}"#)
      #expect(
        try await device.read().json.at("identifiers", "idfa")?.object
          == ["available": .bool(false), "limited": .bool(true), "hash": .null, "message": .null])
      #expect(try await Self.best(device, tenant) == .null)
    }
  }

  @Test("Values in the clear are refused, unless the environment hashes them (U5)", arguments: [false, true])
  func raw(isAllowed: Bool) async throws {
    let tenant = try await Self.tenant(raw: isAllowed)
    let config = try await tenant.running.send(
      "GET", "/v1/sdk/config", headers: [("X-Kits-Public-Key", tenant.publicKey.text)])
    #expect(config.json.at("identifiers", "expose_raw")?.bool == isAllowed)
    let value = "6D92078A-8246-4BA4-AE5B-76104861E7DC"
    let identifiers = #"{"idfv":{"available":true,"value":"\#(value)"},"guid":\#(Self.report("c"))}"#
    let reply = try await tenant.register(#"{"platform":"ios","identifiers":\#(identifiers)}"#)
    let device = try await tenant.device()
    let patch = try await device.patch(#"{"state_revision":2,"identifiers":\#(identifiers)}"#)
    let hash = Hex.encode(SHA256.hash(Array(value.utf8)))
    for answer in [reply, patch] {
      if isAllowed {
        #expect(answer.json.at("identifiers", "idfv", "hash")?.string == hash)
      } else {
        #expect(answer.status == 422)
        #expect(answer.faults == ["/identifiers/idfv/value NOT_ALLOWED"])
      }
      #expect(!String(decoding: answer.body, as: UTF8.self).contains(value))
    }
    let rows = try await tenant.running.count(
      "SELECT count(*) FROM installation i WHERE i::text ILIKE '%\(value)%' OR i.identifiers::text LIKE '%raw%'")
    #expect(rows == 0)
  }

  @Test(
    "A report says one thing",
    arguments: [
      (#"{"available":true,"value":"x","hash":"\#(hash("a"))"}"#, "/identifiers/idfv/value CONFLICT"),
      (#"{"available":false,"value":"x"}"#, "/identifiers/idfv/value CONFLICT"),
      (#"{"available":false,"hash":"\#(hash("a"))"}"#, "/identifiers/idfv/hash CONFLICT"),
      (#"{"available":true}"#, "/identifiers/idfv/hash MISSING"),
      (#"{"available":true,"value":""}"#, "/identifiers/idfv/value TOO_SHORT"),
      (#"{"available":true,"value":7}"#, "/identifiers/idfv/value WRONG_TYPE"),
    ])
  func coherent(report: String, fault: String) async throws {
    let tenant = try await Self.tenant(raw: true)
    let reply = try await tenant.register(#"{"platform":"ios","identifiers":{"idfv":\#(report)}}"#)
    #expect(reply.faults == [fault])
  }

  @Test("Coppa removes advertising identifiers and refuses them together with it (T6)")
  func coppa() async throws {
    let tenant = try await Self.tenant()
    let both = #""coppa":true,"identifiers":{"idfa":\#(Self.report("a")),"idfv":\#(Self.report("b"))}"#
    let reply = try await tenant.register(#"{"platform":"ios",\#(both)}"#)
    #expect(reply.faults == ["/identifiers/idfa CONFLICT"])
    let device = try await tenant.device(#"{"platform":"ios","identifiers":{"idfa":\#(Self.report("a"))}}"#)
    #expect(try await device.patch(#"{"state_revision":2,\#(both)}"#).faults == ["/identifiers/idfa CONFLICT"])
    #expect(try await device.read().json["identifiers"]?.object?.keys == ["idfa"])
    #expect(try await device.patch(#"{"state_revision":2,"coppa":true}"#).status == 200)
    #expect(try await device.read().json["identifiers"]?.object?.isEmpty == true)
    // Said before: it isn't kept either.
    let later = try await device.patch(#"{"state_revision":3,"identifiers":{"idfa":\#(Self.report("a"))}}"#)
    #expect(later.status == 200)
    #expect(later.json["identifiers"]?.object?.isEmpty == true)
  }

  @Test("The device's id is never its user's, whichever of the two comes last (T5)")
  func idsCollide() async throws {
    let tenant = try await Self.tenant()
    let fault = ["/external_device_id CONFLICT"]
    let same = #""external_device_id":"é","customer_user_id":"é""#
    #expect(try await tenant.register(#"{"platform":"ios",\#(same)}"#).faults == fault)
    let device = try await tenant.device(#"{"platform":"ios","external_device_id":"d"}"#)
    #expect(try await device.patch(#"{"state_revision":2,"customer_user_id":"d"}"#).faults == fault)
    #expect(try await device.patch(#"{"state_revision":2,"customer_user_id":"u"}"#).status == 200)
    #expect(try await device.patch(#"{"state_revision":3,"external_device_id":"u"}"#).faults == fault)
    #expect(
      try await device.patch(#"{"state_revision":3,"external_device_id":"u","customer_user_id":null}"#).status == 200)
    // Bytes are compared: the composed and the decomposed letter are two ids.
    let composed = #"{"state_revision":4,"external_device_id":"\u00e9","customer_user_id":"e\u0301"}"#
    #expect(try await device.patch(composed).status == 200)
  }
}
