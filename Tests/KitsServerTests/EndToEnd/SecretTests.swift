import Crypto
import JSON
import TestSupport
import Testing

/// Secrets that are planted in a running server and looked for everywhere (K33, SEC-L1).
@Suite("Secrets leave no trace")
struct SecretTests {
  private func key(_ server: RunningServer, _ scopes: [String], role: String = "owner") async throws -> (
    id: String, secret: String
  ) {
    let ending = try await KitsProcess(
      ["key", "create", "--environment", server.tenant.environmentID, "--name", "k", "--role", role, "--json"]
        + scopes.flatMap { ["--scope", $0] }, environment: server.environment
    ).ending()
    return (id: try ending.field("key_id"), secret: try ending.field("server_key"))
  }

  private func registration(_ pem: String) -> String {
    var json = JSONWriter()
    json.beginObject()
    json.member("key_id", "k")
    json.member("public_key", pem)
    json.endObject()
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test("A pasted private key and a server key are in no log, metric, audit entry or error (K20, SEC-A5, SEC-G4)")
  func canaries() async throws {
    try await withServer { server in
      let admin = try await key(server, ["identity-keys:write", "environments:write"])
      let member = try await key(server, ["identity-keys:write"], role: "member")
      let pem = P256PrivateKey().pkcs8PEM
      var texts: [String] = []
      for bearer in [admin.secret, member.secret, String(admin.secret.dropLast()), " " + admin.secret] {
        let answer = try await server.call("POST", "/v1/identity-keys", bearer: bearer, json: registration(pem))
        #expect([401, 403, 422].contains(answer.status))
        texts.append(answer.text)
        // Where it doesn't belong.
        texts.append(try await server.call("GET", "/v1/environment?key=\(admin.secret)", bearer: bearer).text)
        texts.append(try await server.call("DELETE", "/v1/identity-keys/\(admin.secret)", bearer: bearer).text)
      }
      texts.append(try await HTTPCall("GET", server.adminURL + "/metrics").answer().text)
      for arguments in [
        ["audit", "--json"], ["audit", "--csv"],
        ["identity-key", "list", "--environment", server.tenant.environmentID],
        ["key", "list", "--environment", server.tenant.environmentID],
      ] {
        texts.append(try await KitsProcess(arguments, environment: server.environment).ending().standardOutput)
      }
      texts.append(server.log)
      let body = pem.split(separator: "\n")[1]
      let hash = Hex.encode(SHA256.hash(Array(admin.secret.utf8)))
      for secret in [
        String(body.prefix(32)), String(body.suffix(32)), String(admin.secret.dropFirst(8).prefix(24)), hash,
      ] {
        for text in texts {
          #expect(!text.contains(secret))
          #expect(!text.contains(Base64.encode(Array(secret.utf8)).prefix(24)))
        }
      }
      #expect(texts.contains { $0.contains("treat it as compromised") })
      #expect(
        texts.contains {
          $0.contains(#"kits_administrative_calls_total{action="identity_key.added",refusal="BODY_INVALID"} 1"#)
        })
    }
  }

  @Test("A revoked server key is refused by the next request on every node (SEC-A4)")
  func revoked() async throws {
    try await withServer { server in
      let other = try await server.anotherNode()
      defer { other.signal(9) }
      let admin = try await key(server, ["environments:write"])
      func statuses() async throws -> [Int] {
        var found: [Int] = []
        for base in [server.baseURL, "http://127.0.0.1:\(other.port)"] {
          found.append(try await HTTPCall("GET", base + "/v1/environment", bearer: admin.secret).answer().status)
        }
        return found
      }
      #expect(try await statuses() == [200, 200])
      #expect(try await KitsProcess.run("key", "revoke", admin.id, environment: server.environment).status == 0)
      #expect(try await statuses() == [401, 401])
    }
  }
}
