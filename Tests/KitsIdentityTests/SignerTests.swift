import Crypto
import JSON
import KitsAPI
import KitsIdentity
import Testing

@Suite("KitsIdentity for customers' backends (K29)")
struct SignerTests {
  private static let appID = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"
  private static let now: Int64 = 1_900_000_000

  @Test("A token of a new pair says exactly what the contract says, and the server accepts it (K24)")
  func contract() throws {
    let pair = generateIdentityKeyPair()
    let signer = try createIdentityTokenSigner(
      appID: Self.appID, keyID: "2026-08", privateKeyPEM: pair.privateKeyPEM)
    let signed = try signer.sign(externalID: "alice", now: Self.now)
    #expect(signed.expiresAt == Self.now + 300)
    let parts = try signed.token.split(separator: ".").map { try #require(Base64URL.decode(String($0))) }
    #expect(String(decoding: parts[0], as: UTF8.self) == #"{"alg":"ES256","kid":"2026-08","typ":"JWT"}"#)
    #expect(
      try JSON.parse(parts[1])
        == .object([
          "iss": .string(Self.appID), "aud": .string("kits:identity"), "iat": .integer(Self.now),
          "exp": .integer(Self.now + 300), "identity": .object(["external_id": .string("alice")]),
        ]))
    let claims = try IdentityToken.parse(signed.token).verify(
      key: P256PublicKey(spkiPEM: pair.publicKeyPEM), appID: Self.appID, now: Self.now)
    #expect(
      claims
        == IdentityClaims(
          externalID: "alice", issuedAt: Self.now, expiresAt: Self.now + 300, keyID: "2026-08"))
  }

  @Test(
    "Every id that Kits accepts arrives as it was given",
    arguments: [#"quote " and \ backslash"#, "e\u{301}", "\u{212A}", "用户", "👩‍👩‍👧", "</script>", " x", "a\u{2028}b"])
  func ids(_ id: String) throws {
    let pair = generateIdentityKeyPair()
    let signer = try createIdentityTokenSigner(
      appID: Self.appID.uppercased(), keyID: id, privateKeyPEM: pair.privateKeyPEM, ttlSeconds: 3600)
    let token = try IdentityToken.parse(signer.sign(externalID: id, now: Self.now).token)
    let claims = try token.verify(
      key: P256PublicKey(spkiPEM: pair.publicKeyPEM), appID: Self.appID, now: Self.now)
    #expect(Array(claims.externalID.utf8) == Array(id.utf8) && Array(claims.keyID.utf8) == Array(id.utf8))
  }

  @Test("The token is valid now, by this machine's clock")
  func clock() throws {
    let pair = generateIdentityKeyPair()
    let signer = try createIdentityTokenSigner(appID: Self.appID, keyID: "k", privateKeyPEM: pair.privateKeyPEM)
    let signed = try signer.sign(externalID: "alice")
    let token = try IdentityToken.parse(signed.token)
    let key = try P256PublicKey(spkiPEM: pair.publicKeyPEM)
    #expect(token.expiresAt == signed.expiresAt && token.issuedAt == signed.expiresAt - 300)
    _ = try token.verify(key: key, appID: Self.appID, now: signed.expiresAt - 1)
    #expect(throws: IdentityRejection.expired) {
      try token.verify(key: key, appID: Self.appID, now: signed.expiresAt)
    }
  }

  @Test("What is wrong is refused when the signer is made, with a sentence that doesn't repeat it")
  func refusals() throws {
    let pem = generateIdentityKeyPair().privateKeyPEM
    func error(app: String = Self.appID, key: String = "k", pem: String = pem, ttl: Int = 300) -> IdentitySignerError? {
      do {
        _ = try createIdentityTokenSigner(appID: app, keyID: key, privateKeyPEM: pem, ttlSeconds: ttl)
        return nil
      } catch {
        return error
      }
    }
    #expect(error() == nil && error(ttl: 1) == nil && error(ttl: 3600) == nil)
    for app in ["", "app", Self.appID + " ", String(Self.appID.dropLast())] {
      #expect(error(app: app) == .appIDInvalid)
    }
    for key in ["", String(repeating: "k", count: 65), "a\nb", "a\0"] { #expect(error(key: key) == .keyIDInvalid) }
    for ttl in [0, -1, 3601, Int.max, Int.min] { #expect(error(ttl: ttl) == .ttlInvalid) }
    for wrong in ["", "secret-text", generateIdentityKeyPair().publicKeyPEM, pem + pem, String(pem.dropLast(40))] {
      guard case .privateKeyInvalid? = error(pem: wrong) else {
        Issue.record("accepted")
        continue
      }
      #expect(error(pem: wrong)?.description.contains("secret-text") == false)
    }
  }

  @Test("An id that no user can have isn't signed", arguments: ["", " ", "a\0b", "\u{FEFF}a", "a\nb"])
  func wrongIDs(_ id: String) throws {
    let signer = try createIdentityTokenSigner(
      appID: Self.appID, keyID: "k", privateKeyPEM: generateIdentityKeyPair().privateKeyPEM)
    #expect(throws: IdentitySignerError.self) { try signer.sign(externalID: id) }
    #expect(throws: IdentitySignerError.self) {
      try signer.sign(externalID: String(repeating: "a", count: 257))
    }
    #expect(throws: IdentitySignerError.signingFailed) { try signer.sign(externalID: "a", now: Int64.max) }
  }

  @Test("Neither signers nor tokens nor pairs show themselves in a text")
  func redaction() throws {
    let pair = generateIdentityKeyPair()
    let signer = try createIdentityTokenSigner(appID: Self.appID, keyID: "k", privateKeyPEM: pair.privateKeyPEM)
    let signed = try signer.sign(externalID: "alice")
    var shown = "\(pair) \(signer) \(signed)"
    dump(pair, to: &shown)
    dump(signer, to: &shown)
    dump(signed, to: &shown)
    #expect(!shown.contains("PRIVATE") && !shown.contains("PUBLIC") && !shown.contains(signed.token.suffix(20)))
  }

  @Test("Two pairs are two, and a signer serves many tasks at once")
  func concurrency() async throws {
    let pair = generateIdentityKeyPair()
    #expect(pair.privateKeyPEM != generateIdentityKeyPair().privateKeyPEM)
    let signer = try createIdentityTokenSigner(appID: Self.appID, keyID: "k", privateKeyPEM: pair.privateKeyPEM)
    let key = try P256PublicKey(spkiPEM: pair.publicKeyPEM)
    let right = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          try (0..<50).count { round in
            let token = try signer.sign(externalID: "\(task)/\(round)", now: Self.now).token
            let claims = try IdentityToken.parse(token).verify(key: key, appID: Self.appID, now: Self.now)
            return claims.externalID == "\(task)/\(round)"
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(right == 400)
  }
}
