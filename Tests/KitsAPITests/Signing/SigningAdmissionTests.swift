import Crypto
import Foundation
import HTTPServer
import JSON
import KitsCore
import KitsStore
import Postgres
import Testing

@testable import KitsAPI

/// Signed requests over HTTP (T2, T3).
struct SigningAdmissionTests {
  private static var seconds: Int64 { Int64(Date().timeIntervalSince1970) }

  private static func signature(_ signer: Signer, _ method: String, _ target: String, _ body: [UInt8] = []) throws
    -> [(String, String)]
  {
    [("X-Kits-Signature", try signer.header(method, target, body, at: seconds))]
  }

  /// A device of an app that has a secret by now and asks for signatures.
  private static func signed(_ mode: SigningMode) async throws -> (Tenant, Device, Signer) {
    let tenant = try await Tenant.make()
    let device = try await tenant.device()
    let signer = try await tenant.addSigningSecret()
    try await tenant.setSigning(mode)
    tenant.running.api.forgetSigning()
    return (tenant, device, signer)
  }

  @Test("No route that an SDK's credential opens takes an unsigned request, but the two that are exempt")
  func everyRoute() async throws {
    let (tenant, device, signer) = try await Self.signed(.required)
    let running = tenant.running
    #expect(SignatureCheck.exempt == ["GET /v1/sdk/config", "POST /v1/receipts"])
    var opened = 0
    for route in running.api.routes where !SignatureCheck.isExempt(route) {
      let target = route.pattern.replacing(/\{[a-z_]+\}/, with: device.id)
      for credential in [[("X-Kits-Public-Key", tenant.publicKey.text)], device.bearer] {
        let headers = credential + [("Content-Type", "application/json")]
        let body: [UInt8]? = ["GET", "HEAD", "DELETE"].contains(route.method.rawValue) ? nil : Array("{}".utf8)
        let bare = try await running.send(route.method.rawValue, target, headers: headers, body: body)
        #expect(bare.status == 401, "\(route.method.rawValue) \(route.pattern)")
        let isRefused = bare.code == "SIGNATURE_INVALID"
        #expect(
          isRefused || Self.isOtherCredential(bare), "\(route.method.rawValue) \(route.pattern): \(bare.code ?? "")")
        guard isRefused, route.method != .delete else { continue }
        opened += 1
        let signature = try Self.signature(signer, route.method.rawValue, target, body ?? [])
        let signed = try await running.send(route.method.rawValue, target, headers: headers + signature, body: body)
        #expect(signed.code != "SIGNATURE_INVALID", "\(route.method.rawValue) \(route.pattern)")
      }
    }
    #expect(opened >= 3)
    let config = try await running.send(
      "GET", "/v1/sdk/config", headers: [("X-Kits-Public-Key", tenant.publicKey.text)])
    #expect(config.status == 200)
    #expect(config.json.at("request_signing", "mode")?.string == "required")
  }

  /// The route wants another kind of credential than the one that came.
  private static func isOtherCredential(_ reply: Reply) -> Bool {
    ["CREDENTIAL_MISSING", "SERVER_KEY_INVALID", "DEVICE_TOKEN_INVALID", "PUBLIC_KEY_INVALID"].contains(reply.code)
  }

  @Test("The refusal says the time and nothing of the cause (SEC-H13)")
  func refusal() async throws {
    let (tenant, device, signer) = try await Self.signed(.required)
    var (stranger, foreign) = (signer, signer)
    stranger.secret[0] ^= 1
    foreign.token = PublicKey.generate().text
    var known: [String: [String: String]] = [:]
    for (name, header) in [
      ("none", nil), ("malformed", "v1:x"), ("secret", try stranger.header("GET", device.path, at: Self.seconds)),
      ("token", try foreign.header("GET", device.path, at: Self.seconds)),
      ("window", try signer.header("GET", device.path, at: Self.seconds - 3_600)),
      ("method", try signer.header("PATCH", device.path, at: Self.seconds)),
    ] {
      let headers = device.bearer + (header.map { [("X-Kits-Signature", $0)] } ?? [])
      let reply = try await tenant.running.send("GET", device.path, headers: headers)
      #expect(reply.status == 401, "\(name)")
      #expect(reply.header("WWW-Authenticate") == "Bearer")
      let time = try #require(reply.json["server_time"]?.string, "\(name)")
      #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
      known[name] = ["code": "code", "title": "title", "detail": "detail", "type": "type"].mapValues {
        reply.json[$0]?.string ?? ""
      }
    }
    #expect(Set(known.values).count == 1)
    #expect(known["none"]?["code"] == "SIGNATURE_INVALID")
    #expect(try await device.read().code == "SIGNATURE_INVALID")
    let signature = try Self.signature(signer, "GET", device.path)
    #expect(try await tenant.running.send("GET", device.path, headers: device.bearer + signature).status == 200)
  }

  @Test("Optional takes no signature and refuses a wrong one; a server key needs none")
  func optional() async throws {
    let (tenant, device, signer) = try await Self.signed(.optional)
    #expect(try await device.read().status == 200)
    let wrong = [("X-Kits-Signature", try signer.header("GET", "/", at: Self.seconds))]
    #expect(
      try await tenant.running.send("GET", device.path, headers: device.bearer + wrong).code == "SIGNATURE_INVALID")
    let key = try await tenant.serverKey([.installationsRead])
    let bearer = [("Authorization", "Bearer \(key.secret.text)")]
    #expect(try await tenant.running.send("GET", device.path, headers: bearer + wrong).status == 200)
    try await tenant.setSigning(.required)
    tenant.running.api.forgetSigning()
    #expect(try await tenant.running.send("GET", device.path, headers: bearer).status == 200)
  }

  @Test("SEC-H6, H19: what arrives must be what was signed, byte for byte")
  func content() async throws {
    let (tenant, device, signer) = try await Self.signed(.required)
    let body = #"{"state_revision":2,"model":"x"}"#
    let signature = try Self.signature(signer, "PATCH", device.path, Array(body.utf8))
    for other in [#"{"state_revision":3,"model":"x"}"#, body + " ", #"{"model":"x","state_revision":2}"#] {
      let reply = try await tenant.running.send("PATCH", device.path, headers: device.bearer + signature, json: other)
      #expect(reply.code == "SIGNATURE_INVALID")
    }
    let applied = try await tenant.running.send("PATCH", device.path, headers: device.bearer + signature, json: body)
    #expect(applied.status == 200)
    // SEC-H11: played again it is the same request, and changes nothing.
    let again = try await tenant.running.send("PATCH", device.path, headers: device.bearer + signature, json: body)
    #expect(again.json == applied.json)
    let upper = device.path.replacing(device.id, with: device.id.uppercased())
    let signed = try Self.signature(signer, "GET", device.path)
    #expect(try await tenant.running.send("GET", upper, headers: device.bearer + signed).code == "SIGNATURE_INVALID")
  }

  @Test("SEC-H10: two signatures are no signature, in every mode", arguments: SigningMode.allCases)
  func twice(mode: SigningMode) async throws {
    let (tenant, device, signer) = try await Self.signed(mode)
    let one = try Self.signature(signer, "GET", device.path)
    let list = [("X-Kits-Signature", "\(one[0].1),\(one[0].1)")]
    for headers in [one + one, list] {
      let reply = try await tenant.running.send("GET", device.path, headers: device.bearer + headers)
      #expect(reply.status == 400)
      #expect(reply.code == "BAD_REQUEST")
    }
  }

  @Test("A device token of another app beside the public key doesn't open an app that requires signatures")
  func bothCredentials() async throws {
    let (tenant, _, _) = try await Self.signed(.required)
    let other = try await Tenant.make()
    let (foreign, signer) = (try await other.device(), try await other.addSigningSecret())
    let body = #"{"platform":"ios"}"#
    let headers = [("X-Kits-Public-Key", tenant.publicKey.text)] + foreign.bearer
    let signature = try Self.signature(signer, "POST", "/v1/installations", Array(body.utf8))
    for extra in [[], signature] {
      let reply = try await tenant.running.send("POST", "/v1/installations", headers: headers + extra, json: body)
      #expect(reply.code == "SIGNATURE_INVALID")
    }
  }

  @Test("SEC-H20: the limit of the body comes first, and an unsigned body isn't waited for")
  func bodies() async throws {
    let (tenant, device, _) = try await Self.signed(.required)
    let large = Array(repeating: UInt8(ascii: "x"), count: Limits.bodyBytes + 1)
    let json = [("Content-Type", "application/json")]
    let wrong = [("X-Kits-Signature", "v1:t:1:" + String(repeating: "0", count: 64))]
    let reply = try await tenant.running.send("PATCH", device.path, headers: device.bearer + json + wrong, body: large)
    #expect(reply.code == "BODY_TOO_LARGE")
    // A node that knows the app by now. The body that is announced never comes.
    let node = try await RunningAPI(sharing: tenant.running)
    _ = try await node.send("GET", device.path, headers: device.bearer)
    let head = HTTPCall.bytes(
      "PATCH", device.path, headers: device.bearer + json + [("Content-Length", "200000")], body: nil)
    let early = try await HTTPCall.send(head, port: node.server.port)
    #expect(early.code == "SIGNATURE_INVALID")
    await node.server.stop(grace: .seconds(1))
  }

  @Test("SEC-H14, H16, H17: two secrets at most are good, and the old one until it is revoked")
  func rotation() async throws {
    let (tenant, device, first) = try await Self.signed(.required)
    func status(_ signer: Signer) async throws -> Int {
      let signature = try Self.signature(signer, "GET", device.path)
      return try await tenant.running.send("GET", device.path, headers: device.bearer + signature).status
    }
    let second = try await tenant.addSigningSecret(2)
    #expect(try await status(second) == 200)
    #expect(try await status(first) == 200)
    let third = try await tenant.addSigningSecret(3)
    tenant.running.api.forgetSigning()
    #expect(try await [status(third), status(second), status(first)] == [200, 200, 401])
    let isRevoked = try await tenant.signing.revokePrevious(
      of: tenant.app, of: nil, by: Tenant.call(.signingSecretRevoked))
    #expect(isRevoked)
    tenant.running.api.forgetSigning()
    #expect(try await [status(third), status(second)] == [200, 401])
    let again = try await tenant.signing.revokePrevious(
      of: tenant.app, of: nil, by: Tenant.call(.signingSecretRevoked))
    #expect(!again)
  }

  @Test("SEC-H14: 48 hours are the database's")
  func graceInDatabase() async throws {
    let (tenant, device, first) = try await Self.signed(.required)
    try await tenant.addSigningSecret(2)
    for (age, status) in [("47 hours 59 minutes", 200), ("48 hours", 401)] {
      try await tenant.running.pool.script(
        """
        UPDATE app_signing_secret s SET replaced_at = now() - interval '\(age)'
        FROM app a WHERE a.app_no = s.app_no AND a.app_id = '\(tenant.app.text)' AND s.replaced_at IS NOT NULL
        """)
      tenant.running.api.forgetSigning()
      let signature = try Self.signature(first, "GET", device.path)
      let reply = try await tenant.running.send("GET", device.path, headers: device.bearer + signature)
      #expect(reply.status == status, "\(age)")
    }
  }

  @Test("SEC-H18: while secrets rotate no request with a good one is refused; of two rotations one wins")
  func race() async throws {
    let (tenant, device, first) = try await Self.signed(.required)
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let signature = try Self.signature(first, "GET", device.path)
          return try await tenant.running.send("GET", device.path, headers: device.bearer + signature).status
        }
      }
      group.addTask {
        let second = try await tenant.addSigningSecret(2)
        let signature = try Self.signature(second, "GET", device.path)
        return try await tenant.running.send("GET", device.path, headers: device.bearer + signature).status
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 9))
    let winners = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { (try? await tenant.addSigningSecret(3)) != nil } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(winners == 1)
    let secrets = try await tenant.running.count(
      "SELECT count(*) FROM app_signing_secret JOIN app USING (app_no) WHERE app_id = '\(tenant.app.text)'")
    #expect(secrets == 2)
  }

  @Test("SEC-H21: no header of whatever form makes the server fail")
  func fuzz() async throws {
    let (tenant, device, signer) = try await Self.signed(.required)
    let right = Array(try signer.header("GET", device.path, at: Self.seconds).utf8)
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var bytes = right
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0...2, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0x21...0x7e, using: &generator)
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8(ascii: ":"), at: place)
        }
      }
      guard bytes != right, !bytes.contains(UInt8(ascii: ",")) else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      // A timestamp of the same window is as good (SEC-H7).
      if let changed = RequestSignature(text), let original = RequestSignature(String(decoding: right, as: UTF8.self)),
        changed.mac == original.mac, changed.appToken == original.appToken
      {
        continue
      }
      let fault = try #require(
        SignatureRuleTests.judge(
          text,
          SigningPolicy(
            mode: .required, bucketSeconds: 300, appToken: Array(signer.token.utf8),
            current: SigningPolicy.Secret(key: HMACKey(signer.secret), goodUntil: nil), previous: nil),
          method: "GET", target: device.path, body: [], now: Self.seconds))
      #expect(fault != .absent)
    }
    let reply = try await tenant.running.send(
      "GET", device.path, headers: device.bearer + [("X-Kits-Signature", String(repeating: "\u{fe}", count: 4_000))])
    #expect(reply.code == "SIGNATURE_INVALID")
  }
}
