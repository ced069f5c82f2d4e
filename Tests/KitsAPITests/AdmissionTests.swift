import Crypto
import JSON
import KitsCore
import KitsStore
import Testing

@testable import KitsAPI

/// Who may call what, and in which order things are checked.
struct AdmissionTests {
  @Test("Without its credential every route answers CREDENTIAL_MISSING, even with another kind or in the query")
  func missing() async throws {
    let tenant = try await Tenant.make()
    let device = try await tenant.device()
    let key = tenant.publicKey.text
    let calls: [(String, String, [(String, String)])] = [
      ("GET", "/v1/sdk/config", []), ("GET", "/v1/sdk/config?public_key=\(key)", []),
      ("GET", "/v1/sdk/config", [("Authorization", "Bearer \(key)")]), ("POST", "/v1/installations", []),
      ("GET", device.path, []), ("PATCH", device.path, []), ("DELETE", device.path, []),
      ("GET", device.path + "?device_token=\(device.token)", []),
      ("GET", device.path + "?access_token=\(device.token)", [("Authorization", "Basic \(device.token)")]),
      ("GET", device.path, [("X-Kits-Public-Key", key)]), ("GET", device.path, [("Authorization", device.token)]),
      ("GET", device.path, [("Authorization", "Bearer")]),
    ]
    for (method, target, headers) in calls {
      let reply = try await tenant.running.send(method, target, headers: headers)
      #expect(reply.status == 401, "\(method) \(target)")
      #expect(reply.code == "CREDENTIAL_MISSING", "\(method) \(target)")
      #expect(reply.header("WWW-Authenticate") == "Bearer")
    }
  }

  @Test("Two credentials in one request are refused, the same one twice too")
  func twice() async throws {
    let tenant = try await Tenant.make()
    let device = try await tenant.device()
    let other = try await tenant.device()
    for second in [device, other] {
      let reply = try await tenant.running.send("GET", device.path, headers: device.bearer + second.bearer)
      #expect(reply.status == 400)
      #expect(reply.code == "BAD_REQUEST")
    }
    let keys = [("X-Kits-Public-Key", tenant.publicKey.text), ("X-Kits-Public-Key", tenant.publicKey.text)]
    #expect(try await tenant.running.send("GET", "/v1/sdk/config", headers: keys).code == "BAD_REQUEST")
  }

  @Test("A wrong bearer is named after what it looks like")
  func wrong() async throws {
    let tenant = try await Tenant.make()
    let device = try await tenant.device()
    let unknown = ServerKeySecret.generate().text
    for (bearer, code) in [
      (unknown, "SERVER_KEY_INVALID"), ("kits_sk_x", "SERVER_KEY_INVALID"),
      (String(device.token.dropLast()), "DEVICE_TOKEN_INVALID"),
      ("x", "DEVICE_TOKEN_INVALID"), (tenant.publicKey.text, "DEVICE_TOKEN_INVALID"),
    ] {
      for method in ["GET", "DELETE"] {
        let reply = try await tenant.running.send(method, device.path, headers: [("Authorization", "bearer \(bearer)")])
        #expect(reply.status == 401)
        #expect(reply.code == code)
      }
    }
    let patch = try await tenant.running.send(
      "PATCH", device.path, headers: [("Authorization", "Bearer \(unknown)")], json: #"{"state_revision":2}"#)
    #expect(patch.code == "DEVICE_TOKEN_INVALID")
    #expect(try await device.read().status == 200)
  }

  @Test("A device token sees no other installation, not even one that doesn't exist")
  func otherInstallation() async throws {
    let tenant = try await Tenant.make()
    let device = try await tenant.device()
    let other = try await tenant.device()
    let ids = [other.id, "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70", "x", "%20", "\(device.id)x"]
    for id in ids {
      for method in ["GET", "PATCH", "DELETE"] {
        let reply = try await tenant.running.send(method, "/v1/installations/\(id)", headers: device.bearer)
        #expect(reply.status == 404, "\(method) \(id)")
        #expect(reply.code == "NOT_FOUND", "\(method) \(id)")
      }
    }
    #expect(try await other.read().status == 200)
    let upper = try await tenant.running.send(
      "GET", "/v1/installations/\(device.id.uppercased())", headers: device.bearer)
    #expect(upper.status == 200)
    #expect(upper.json["id"]?.string == device.id)
  }

  @Test("A server key reads and deletes with its scope, in its own environment only")
  func serverKeys() async throws {
    let tenant = try await Tenant.make()
    let device = try await tenant.device()
    func send(_ method: String, _ secret: ServerKeySecret, id: String? = nil) async throws -> Reply {
      try await tenant.running.send(
        method, "/v1/installations/\(id ?? device.id)", headers: [("Authorization", "Bearer \(secret.text)")])
    }
    let none = try await tenant.serverKey([.messagesSend]).secret
    for (method, scope) in [("GET", "installations:read"), ("DELETE", "installations:write")] {
      let reply = try await send(method, none)
      #expect(reply.status == 403)
      #expect(reply.code == "SCOPE_MISSING")
      #expect(reply.json["detail"]?.string == "This needs the scope \(scope).")
    }
    let both = try await tenant.serverKey([.installationsRead, .installationsWrite]).secret
    let foreign = try await Tenant.make().serverKey([.installationsRead, .installationsWrite]).secret
    for method in ["GET", "DELETE"] {
      #expect(try await send(method, foreign).code == "NOT_FOUND")
      #expect(try await send(method, both, id: "x").code == "NOT_FOUND")
    }
    let read = try await send("GET", both)
    #expect(read.status == 200)
    #expect(read.json["id"]?.string == device.id)
    #expect(read.json["device_token"] == nil)
    let deleted = try await send("DELETE", both)
    #expect(deleted.status == 204)
    #expect(deleted.body.isEmpty)
    #expect(deleted.header("Cache-Control") == "no-store")
    #expect(try await send("DELETE", both).code == "NOT_FOUND")
    #expect(try await tenant.installations() == 0)
  }

  @Test("A revoked server key is refused at once")
  func revoked() async throws {
    let tenant = try await Tenant.make()
    let device = try await tenant.device()
    let key = try await tenant.serverKey([.installationsRead])
    let bearer = [("Authorization", "Bearer \(key.secret.text)")]
    #expect(try await tenant.running.send("GET", device.path, headers: bearer).status == 200)
    #expect(try await tenant.running.access.revokeServerKey(key.id, by: .commandLine(.serverKeyRevoked)))
    let reply = try await tenant.running.send("GET", device.path, headers: bearer)
    #expect(reply.status == 401)
    #expect(reply.code == "SERVER_KEY_INVALID")
  }

  @Test("Unknown query parameters are refused and named")
  func query() async throws {
    let tenant = try await Tenant.make()
    let device = try await tenant.device()
    for (method, target, headers) in [
      ("GET", "/v1/sdk/config", [("X-Kits-Public-Key", tenant.publicKey.text)]),
      ("POST", "/v1/installations", [("X-Kits-Public-Key", tenant.publicKey.text)]),
      ("GET", device.path, device.bearer), ("PATCH", device.path, device.bearer),
      ("DELETE", device.path, device.bearer),
    ] {
      let reply = try await tenant.running.send(method, target + "?a=1&b", headers: headers)
      #expect(reply.status == 400)
      #expect(reply.code == "QUERY_INVALID")
      #expect(reply.faults == ["a UNKNOWN_FIELD", "b UNKNOWN_FIELD"])
    }
  }

  @Test("What is refused comes in the order of the contract")
  func order() async throws {
    let tenant = try await Tenant.make()
    let key = [("X-Kits-Public-Key", tenant.publicKey.text)]
    func post(_ headers: [(String, String)], _ body: String) async throws -> String? {
      try await tenant.running.send("POST", "/v1/installations", headers: headers, body: Array(body.utf8)).code
    }
    let json = [("Content-Type", "application/json")]
    #expect(try await post([], "x") == "CREDENTIAL_MISSING")
    #expect(try await post(key + [("Idempotency-Key", "x")], "x") == "IDEMPOTENCY_KEY_INVALID")
    #expect(try await post(key, "x") == "UNSUPPORTED_MEDIA_TYPE")
    #expect(try await post(key + json, "x") == "INVALID_JSON")
    #expect(try await post(key + json, "{}") == "BODY_INVALID")
    let unknown = [("X-Kits-Public-Key", PublicKey.generate().text)]
    #expect(try await post(unknown + json, "{}") == "PUBLIC_KEY_INVALID")
    let put = try await tenant.running.send("PUT", "/v1/installations", headers: key)
    #expect(put.code == "METHOD_NOT_ALLOWED")
    #expect(put.header("Allow") == "GET, HEAD, POST")
    #expect(try await tenant.running.send("GET", "/v1/nothing").code == "NOT_FOUND")
    #expect(try await tenant.installations() == 0)
  }
}
