import Crypto
import JSON
import KitsCore
import KitsStore
import Testing

@testable import KitsAPI

/// Administering request signing by server keys (T3).
@Suite("Routes of request signing", .serialized)
struct SigningRouteTests {
  private static func path(_ backend: Backend, _ rest: String = "") -> String {
    "/v1/apps/\(backend.tenant.app.text)/signing\(rest)"
  }

  @Test("A secret is created, shown, rotated and revoked; the state never shows one")
  func life() async throws {
    let backend = try await Backend.make([.appsWrite], role: .administrator)
    let none = try await backend.get(Self.path(backend))
    #expect(none.status == 200)
    #expect(none.header("Cache-Control") == "no-store")
    #expect(
      none.json.object == [
        "app_id": .string(backend.tenant.app.text), "app_token": .string(backend.tenant.publicKey.text),
        "mode": .string("off"), "bucket_seconds": .integer(300), "current": .null, "previous": .null,
      ])
    #expect(try await backend.get(Self.path(backend, "/secret")).status == 404)
    let first = try await backend.post(Self.path(backend, "/secret"))
    #expect(first.status == 201)
    #expect(first.json["secret_no"]?.integer == 1)
    let old = try #require(first.json["secret"]?.string)
    #expect(old.wholeMatch(of: /[0-9a-f]{64}/) != nil)
    let second = try await backend.post(Self.path(backend, "/secret/rotate"), #"{"secret_no":1}"#)
    #expect(second.status == 200)
    #expect(second.json["secret_no"]?.integer == 2)
    let new = try #require(second.json["secret"]?.string)
    #expect(new != old)
    let shown = try await backend.get(Self.path(backend, "/secret"))
    #expect(shown.header("Cache-Control") == "no-store")
    #expect(shown.json.at("current", "secret")?.string == new)
    #expect(shown.json.at("previous", "secret")?.string == old)
    #expect(shown.json.at("current", "good_until")?.isNull == true)
    let state = try await backend.get(Self.path(backend))
    #expect(state.json.at("previous", "secret_no")?.integer == 1)
    #expect(state.json.at("previous", "good_until")?.string != nil)
    for secret in [old, new] { #expect(!String(decoding: state.body, as: UTF8.self).contains(secret)) }
    #expect(try await backend.delete(Self.path(backend, "/secret/previous")).status == 204)
    #expect(try await backend.delete(Self.path(backend, "/secret/previous")).status == 404)
    #expect(try await backend.get(Self.path(backend, "/secret")).json["previous"]?.isNull == true)
  }

  @Test("Of two rotations one wins; the other, and a second creation, are told that it changed")
  func conflict() async throws {
    let backend = try await Backend.make([.appsWrite])
    #expect(try await backend.post(Self.path(backend, "/secret/rotate"), #"{"secret_no":1}"#).status == 409)
    #expect(try await backend.post(Self.path(backend, "/secret"), "{}").status == 201)
    let again = try await backend.post(Self.path(backend, "/secret"))
    #expect(again.status == 409)
    #expect(again.code == "SIGNING_SECRET_CHANGED")
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try await backend.post(Self.path(backend, "/secret/rotate"), #"{"secret_no":1}"#).status
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.sorted() == [200] + Array(repeating: 409, count: 7))
    for body in ["{}", #"{"secret_no":0}"#, #"{"secret_no":"1"}"#, #"{"secret_no":1,"x":1}"#] {
      #expect(try await backend.post(Self.path(backend, "/secret/rotate"), body).status == 422)
    }
  }

  @Test("The mode needs a secret, and counts on this node at once")
  func mode() async throws {
    let backend = try await Backend.make([.appsWrite])
    let device = try await backend.tenant.device()
    for mode in ["optional", "required"] {
      let refused = try await backend.patch(Self.path(backend), "{\"mode\":\"\(mode)\"}")
      #expect(refused.status == 422)
      #expect(refused.faults == ["/mode CONFLICT"])
    }
    #expect(try await backend.patch(Self.path(backend), #"{"bucket_seconds":60}"#).status == 200)
    #expect(try await backend.post(Self.path(backend, "/secret")).status == 201)
    #expect(try await device.read().status == 200)
    let changed = try await backend.patch(Self.path(backend), #"{"mode":"required","bucket_seconds":3600}"#)
    #expect(changed.json["mode"]?.string == "required")
    #expect(changed.json["bucket_seconds"]?.integer == 3_600)
    #expect(try await device.read().code == "SIGNATURE_INVALID")
    #expect(try await backend.patch(Self.path(backend), #"{"mode":"off"}"#).status == 200)
    #expect(try await device.read().status == 200)
    for body in [#"{"mode":"on"}"#, #"{"bucket_seconds":59}"#, #"{"bucket_seconds":3601}"#, #"{"x":1}"#] {
      #expect(try await backend.patch(Self.path(backend), body).status == 422)
    }
  }

  private static let calls: [(AuditAction, String, String, String?)] = [
    (.signingSecretCreated, "POST", "/secret", nil), (.signingModeChanged, "PATCH", "", #"{"mode":"optional"}"#),
    (.signingSecretRotated, "POST", "/secret/rotate", #"{"secret_no":1}"#),
    (.signingSecretRevealed, "GET", "/secret", nil), (.signingSecretRevoked, "DELETE", "/secret/previous", nil),
  ]

  private static func send(_ backend: Backend, _ call: (AuditAction, String, String, String?)) async throws -> Reply {
    if let body = call.3 {
      return try await backend.running.send(call.1, path(backend, call.2), headers: backend.bearer, json: body)
    }
    return try await backend.running.send(call.1, path(backend, call.2), headers: backend.bearer)
  }

  @Test(
    "Everyone sees, owners and administrators change; each call is one entry, without a secret (T3)",
    arguments: Role.allCases)
  func roles(role: Role) async throws {
    let owner = try await Backend.make([.appsWrite])
    let backend = try await Backend.make([.appsWrite], of: owner.tenant, role: role)
    var secrets: [String] = []
    for call in Self.calls {
      let isAllowed = role.may(call.0.privilege)
      #expect(isAllowed == (role <= .administrator || call.0 == .signingSecretRevealed))
      let entries = try await owner.tenant.entries {
        let reply = try await Self.send(backend, call)
        #expect(reply.status == (isAllowed ? reply.status : 403))
        #expect(isAllowed == (200...204).contains(reply.status), "\(call.0) \(reply.status)")
        secrets += [reply.json["secret"]?.string, reply.json.at("current", "secret")?.string].compactMap(\.self)
      }
      #expect(entries.map(\.action) == [call.0.rawValue])
      #expect(entries.map(\.refusal) == [isAllowed ? nil : "ROLE_FORBIDDEN"])
      #expect(entries.first?.targetID == owner.tenant.app.text)
      // What comes next needs it.
      if !isAllowed, call.0 != .signingModeChanged { _ = try await Self.send(owner, call) }
    }
    #expect(secrets.count == (role <= .administrator ? 3 : 1))
    let rows = try await owner.running.texts("SELECT audit_entry::text FROM audit_entry")
    for secret in secrets { #expect(!rows.contains { $0.contains(secret) }) }
    for event in owner.running.events.all { #expect(!secrets.contains { "\(event)".contains($0) }) }
  }

  @Test("Without the scope nothing is shown, and it is written down")
  func scope() async throws {
    let backend = try await Backend.make(Scope.allCases.filter { $0 != .appsWrite })
    for call in Self.calls { #expect(try await Self.send(backend, call).code == "SCOPE_MISSING") }
    #expect(try await backend.get(Self.path(backend)).code == "SCOPE_MISSING")
  }

  @Test("A change that changes nothing leaves nothing; one that does names before and after")
  func changes() async throws {
    let backend = try await Backend.make([.appsWrite])
    let entries = try await backend.tenant.entries {
      _ = try await backend.post(Self.path(backend, "/secret"))
      for _ in 0..<2 { _ = try await backend.patch(Self.path(backend), #"{"mode":"optional","bucket_seconds":60}"#) }
      _ = try await backend.post(Self.path(backend, "/secret/rotate"), #"{"secret_no":1}"#)
    }
    #expect(entries.count == 3)
    let texts = entries.map(\.changesText)
    #expect(
      texts.contains { $0.contains(#""mode": ["off", "optional"]"#) && $0.contains(#""bucket_seconds": [300, 60]"#) })
    #expect(texts.contains { $0.contains(#""secret_no": [1, 2]"#) })
    #expect(texts.contains { $0.contains(#""secret_no": [null, 1]"#) })
  }

  @Test("A secret lies encrypted in the database, bound to its app and number")
  func sealed() async throws {
    let backend = try await Backend.make([.appsWrite])
    let reply = try await backend.post(Self.path(backend, "/secret"))
    let secret = try #require(reply.json["secret"]?.string)
    let rows = try await backend.running.texts("SELECT app_signing_secret::text FROM app_signing_secret")
    #expect(!rows.isEmpty)
    #expect(!rows.contains { $0.contains(secret) })
    let found = try await backend.tenant.signing.find(backend.tenant.app, of: nil)
    let sealed = try #require(found?.current)
    let opened = try SigningSecret.open(sealed, of: backend.tenant.app, ring: backend.running.keys)
    #expect(opened.text == secret)
    #expect("\(opened)" == "<redacted>" && String(reflecting: opened) == "<redacted>")
    let other = AppID(UUIDv7.make(now: 1))
    #expect(throws: CryptoError.self) { try SigningSecret.open(sealed, of: other, ring: backend.running.keys) }
  }
}
