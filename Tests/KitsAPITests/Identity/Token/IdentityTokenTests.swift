import Crypto
import KitsAPI
import KitsCore
import Testing

@Suite("Identity tokens")
struct IdentityTokenTests {
  private let forge = TokenForge()

  @Test("A right token says who, since when, until when and by which key (K24)")
  func claims() throws {
    let token = try IdentityToken.parse(forge.token())
    #expect(token.keyID == "key-1" && token.issuer == TokenForge.appID && token.claimedExternalID == "alice")
    let claims = try token.verify(key: forge.key.publicKey, appID: TokenForge.appID, now: TokenForge.now + 1)
    #expect(
      claims
        == IdentityClaims(
          externalID: "alice", issuedAt: TokenForge.now, expiresAt: TokenForge.now + 300, keyID: "key-1"))
  }

  @Test("Expiry is reported only of a token about which all else is right")
  func expiryLast() throws {
    let old = TokenForge.claims(iat: "1800000000", exp: "1800000300")
    #expect(try forge.rejection(claims: old) == .expired)
    let token = try forge.token(claims: old)
    #expect(forge.rejection(of: token, by: TokenForge().key.publicKey) == .signatureWrong)
    #expect(forge.rejection(of: token, appID: "other") == .issWrong)
    let tooLong = TokenForge.claims(iat: "1800000000", exp: "1800003601")
    #expect(try forge.rejection(claims: tooLong) == .lifetimeOutOfRange)
    let wrongAudience = TokenForge.claims(aud: #""x""#, iat: "1800000000", exp: "1800000300")
    #expect(try forge.rejection(claims: wrongAudience) == .audWrong)
    let nobody = TokenForge.claims(iat: "1800000000", exp: "1800000300", identity: "{}")
    #expect(try forge.rejection(claims: nobody) == .externalIDMissing)
    #expect(try forge.rejection(header: #"{"alg":"none","kid":"key-1"}"#, claims: old) == .algNotES256)
  }

  @Test("Of all causes one alone asks for a fresh token; all have a stable name and a sentence")
  func causes() {
    #expect(IdentityRejection.allCases.filter(\.isExpiry) == [.expired])
    #expect(Set(IdentityRejection.allCases.map(\.sentence)).count == IdentityRejection.allCases.count)
    for cause in IdentityRejection.allCases {
      #expect(cause.rawValue.utf8.allSatisfy { ($0 >= 97 && $0 <= 122) || ($0 >= 48 && $0 <= 57) || $0 == 95 })
    }
  }

  @Test("Whom a token claims to be about can be read without believing it")
  func readable() throws {
    let expired = try forge.token(claims: TokenForge.claims(iat: "1", exp: "2"))
    #expect(IdentityToken.readableExternalID(expired) == "alice")
    let unsigned = TokenForge.unsigned(header: "x", claims: #"{"identity":{"external_id":"bob"}}"#)
    #expect(IdentityToken.readableExternalID(unsigned + ".") == "bob")
    #expect(IdentityToken.readableExternalID(unsigned) == nil)
    for text in ["", "..", "a.b.c", "....", "\0", String(repeating: "A", count: 9000), "é.é.é"] {
      #expect(IdentityToken.readableExternalID(text) == nil)
    }
    for claims in [#"{"identity":{"external_id":" "}}"#, #"{"sub":"bob"}"#, "[]", #"{"identity":{"external_id":1}}"#] {
      #expect(IdentityToken.readableExternalID(TokenForge.unsigned(claims: claims) + ".") == nil)
    }
  }

  @Test("A token shows itself in no text")
  func redaction() throws {
    let text = try forge.token()
    let token = try IdentityToken.parse(text)
    var dumped = ""
    dump(token, to: &dumped)
    for shown in ["\(token)", String(reflecting: token), dumped] {
      #expect(!shown.contains(text.suffix(20)) && !shown.contains("alice"))
    }
  }

  @Test("Ten thousand damaged claims, rightly signed, are refused or obey every rule, and none stops the process")
  func damagedClaims() throws {
    var accepted = 0
    let pieces: [[UInt8]] = ["\"", "\\", "{", "}", "[", "]", ",", ":", "9", "-", "e", ".", "\u{FEFF}", "\\u0000"].map {
      Array($0.utf8)
    }
    for round in 0..<10_000 {
      var bytes = Array(TokenForge.claims().utf8)
      for _ in 0...round % 3 {
        let random = SystemRandom.uint64()
        let place = Int(random % UInt64(bytes.count))
        switch random >> 60 {
        case 0..<6: bytes[place] = UInt8(truncatingIfNeeded: random >> 32)
        case 6..<10: bytes.insert(contentsOf: pieces[Int(random >> 40 & 0xFF) % pieces.count], at: place)
        case 10..<13: bytes.remove(at: place)
        default: bytes.removeSubrange(place..<min(bytes.count, place + Int(random >> 32 & 15)))
        }
      }
      let text = try forge.token(header: Array(TokenForge.header.utf8), claims: bytes)
      guard let token = try? IdentityToken.parse(text),
        let claims = try? token.verify(key: forge.key.publicKey, appID: TokenForge.appID, now: TokenForge.now)
      else { continue }
      accepted += 1
      #expect(ExternalID(claims.externalID) != nil)
      #expect((1...3600).contains(claims.expiresAt - claims.issuedAt))
      #expect(claims.expiresAt > TokenForge.now && claims.issuedAt <= TokenForge.now + 60)
    }
    // Most changes within the user's name leave a right token, so that the second half of the rules was reached.
    #expect(accepted > 50 && accepted < 5000)
  }

  @Test("Twenty thousand texts of random characters are refused")
  func noise() {
    let alphabet = Array("ABCabc019-_...".utf8)
    for round in 0..<20_000 {
      let text = SystemRandom.bytes(round % 120).map { alphabet[Int($0) % alphabet.count] }
      #expect(forge.rejection(of: String(decoding: text, as: UTF8.self)) != nil)
    }
  }
}
