import Crypto
import Foundation
import JSON
import TestSupport
import Testing

@testable import KitsServer

/// What is planted in tokens, proofs and keys of identity stays out of the log, the metrics and the answers.
@Suite("Secrets of identity")
struct IdentitySecretTests {
  private static let key = P256PrivateKey()
  private static let canary = "canary\(Hex.encode(SystemRandom.bytes(8)))"

  private static func token(_ server: RunningServer, keyID: String, signedBy key: P256PrivateKey) throws -> String {
    let now = Int64(Date().timeIntervalSince1970)
    let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
    let claims =
      #"{"iss":"\#(server.tenant.appID)","aud":"kits:identity","iat":\#(now),"exp":\#(now + 300),"#
      + #""identity":{"external_id":"\#(canary)"}}"#
    let signed = [header, claims].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
    return try signed + "." + Base64URL.encode(key.sign(Array(signed.utf8)))
  }

  private static func prepare(_ server: RunningServer) async throws {
    try await server.query(
      """
      UPDATE environment SET auth_mode = 2, policy_revision = 2;
      INSERT INTO identity_key (environment_no, key_id, spki) VALUES (1, 'k', '\\x\(Hex.encode(key.publicKey.spki))');
      UPDATE server_key SET scopes = scopes || '{identity:write,users:write,users:read}'::text[]
      """)
  }

  @Test("SEC-L1: tokens, proofs and users are in no log line, metric or problem, at the level debug")
  func leaks() async throws {
    try await withServer { server in
      try await Self.prepare(server)
      let device = try await server.register(token: String(repeating: "ab", count: 32))
      let path = "/v1/installations/\(device.id)/identity"
      let identity = try await server.call("GET", path, bearer: device.deviceToken)
      let binding = try #require(identity.object["binding"]?.object?["id"]?.string)
      let operation = UUID().uuidString
      let ids = #""operation_id":"\#(operation)","expected_binding_id":"\#(binding)""#
      let proof = try await server.call(
        "POST", "/v1/identity-tokens",
        json: #"{"installation_id":"\#(device.id)","external_id":"\#(Self.canary)",\#(ids)}"#)
      let secrets = [
        try Self.token(server, keyID: Self.canary, signedBy: Self.key),
        try Self.token(server, keyID: "k", signedBy: P256PrivateKey()), Self.canary, "kitid1.\(Self.canary)",
        (proof.object["token"]?.string ?? "") + "A",
      ]
      var shown: [String] = []
      for secret in secrets {
        let answer = try await server.call(
          "POST", path, bearer: device.deviceToken, json: #"{\#(ids),"token":"\#(secret)"}"#)
        #expect(answer.code == "IDENTITY_TOKEN_INVALID")
        shown.append(answer.text)
        let unread = try await server.call("POST", path + "?token=\(secret)", bearer: secret, json: secret)
        shown.append(unread.text)
      }
      let good = try Self.token(server, keyID: "k", signedBy: Self.key)
      let bound = try await server.call(
        "POST", path, bearer: device.deviceToken, json: #"{\#(ids),"token":"\#(good)"}"#)
      #expect(bound.object["result"]?.string == "bound")
      let metrics = try await HTTPCall("GET", server.adminURL + "/metrics").answer().text
      #expect(metrics.contains(#"kits_identity_rejections_total{cause="kid_unknown",shadow="false"} 1"#))
      #expect(metrics.contains(#"kits_identity_operations_total{result="bound"} 1"#))
      shown += [metrics, server.log]
      for text in shown {
        for secret in secrets + [good, Self.canary, device.deviceToken, server.tenant.serverKey] {
          #expect(!text.contains(secret))
        }
      }
    }
  }
}
