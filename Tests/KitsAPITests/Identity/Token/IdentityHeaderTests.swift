import Crypto
import KitsAPI
import Testing

@Suite("Headers of identity tokens")
struct IdentityHeaderTests {
  private let forge = TokenForge()

  @Test(
    "SEC-J11: only the five letters ES256 are the algorithm",
    arguments: [
      #""none""#, #""None""#, #""noNE""#, #""NONE""#, #""""#, "null", "256", #"["ES256"]"#, #""ES256 ""#, #"" ES256""#,
      #""es256""#, #""Es256""#, #""ES256K""#, #""ES384""#, #""RS256""#, #""PS256""#, #""EdDSA""#, #"{"ES256":1}"#,
      "true",
      #""ＥＳ256""#, #""HS256""#, #""HS384""#, #""HS512""#, #""ES256,none""#,
    ])
  func algorithms(_ alg: String) throws {
    #expect(try forge.rejection(header: #"{"alg":\#(alg),"kid":"key-1"}"#) == .algNotES256)
  }

  @Test("SEC-J11: without an algorithm, or with it under another name, nothing is verified")
  func noAlgorithm() throws {
    #expect(try forge.rejection(header: #"{"kid":"key-1"}"#) == .algNotES256)
    #expect(try forge.rejection(header: #"{"Alg":"ES256","ALG":"ES256","kid":"key-1"}"#) == .algNotES256)
  }

  @Test("SEC-J12: a MAC is refused, whatever form of the public key it is keyed with")
  func macs() throws {
    let key = forge.key.publicKey
    let pem = key.spkiPEM
    let keys = [
      Array(pem.utf8), Array(pem.dropLast().utf8), Array("\n\(pem)".utf8), Array(" \(pem)".utf8), key.spki, key.x963,
      Array(key.x963[1...32]), Array("key-1".utf8), [0],
    ]
    for secret in keys {
      for alg in ["HS256", "HS384", "HS512", "ES256"] {
        let unsigned = TokenForge.unsigned(header: #"{"alg":"\#(alg)","kid":"key-1"}"#)
        let mac = try HMACSHA256.authenticate(Array(unsigned.utf8), key: secret)
        #expect(forge.rejection(of: unsigned + "." + Base64URL.encode(mac)) == .signatureLengthWrong)
        let padded = mac + mac
        #expect(
          forge.rejection(of: unsigned + "." + Base64URL.encode(padded))
            == (alg == "ES256" ? .signatureWrong : .algNotES256))
      }
    }
  }

  @Test("SEC-J13: an empty signature is none, for every algorithm", arguments: ["ES256", "none"])
  func emptySignature(_ alg: String) {
    let unsigned = TokenForge.unsigned(header: #"{"alg":"\#(alg)","kid":"key-1"}"#)
    #expect(forge.rejection(of: unsigned + ".") == .signatureLengthWrong)
  }

  @Test(
    "SEC-J14, SEC-J15, SEC-J16: members that would change how a token is verified are refused, whatever they hold",
    arguments: [
      #""crit":["exp"]"#, #""crit":["b64"],"b64":false"#, #""crit":["x"],"x":1"#, #""crit":["x"]"#, #""crit":[]"#,
      #""crit":"exp""#, #""crit":null"#, #""b64":false"#, #""b64":true"#, #""jwk":{"kty":"EC"}"#, #""jwk":null"#,
      #""jku":"https://example.com/keys""#, #""x5u":"https://example.com/cert""#, #""x5c":["MIIB"]"#, #""x5c":[]"#,
      #""x5t":"AAAA""#, #""x5t#S256":"AAAA""#, #""zip":"DEF""#, #""cty":"JWT""#, #""enc":"A128GCM""#,
      #""\u0063rit":["exp"]"#,
    ])
  func forbidden(_ member: String) throws {
    let header = #"{"alg":"ES256","kid":"key-1",\#(member)}"#
    #expect(try forge.rejection(header: header) == .headerForbiddenMember)
  }

  @Test("SEC-J16: a key inside the token, even the right one, is refused")
  func embeddedKey() throws {
    let point = forge.key.publicKey.x963
    let x = Base64URL.encode(Array(point[1...32]))
    let y = Base64URL.encode(Array(point[33...64]))
    let jwk = #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#
    let header = #"{"alg":"ES256","kid":"key-1","jwk":\#(jwk)}"#
    #expect(try forge.rejection(header: header) == .headerForbiddenMember)
  }

  @Test("Members of a header that mean nothing here are ignored")
  func unknownMembers() throws {
    #expect(try forge.rejection(header: #"{"alg":"ES256","kid":"key-1","ver":2,"Crit":["x"]}"#) == nil)
  }

  @Test(
    "SEC-J17: a kid that is no string of 1 to 64 bytes is refused",
    arguments: [
      ("null", IdentityRejection.kidInvalid), ("1", .kidInvalid), ("[]", .kidInvalid), (#"["key-1"]"#, .kidInvalid),
      ("{}", .kidInvalid), (#""""#, .kidInvalid), (#""\#(String(repeating: "k", count: 65))""#, .kidInvalid),
      (#""\#(String(repeating: "k", count: 10_000))""#, .tooLong), (#""key\u00001""#, .headerMalformed),
    ])
  func kids(_ kid: String, _ expected: IdentityRejection) throws {
    #expect(try forge.rejection(header: #"{"alg":"ES256","kid":\#(kid)}"#) == expected)
    #expect(try forge.rejection(header: #"{"alg":"ES256"}"#) == .kidMissing)
  }

  @Test(
    "SEC-J17: a hostile kid reaches the lookup as it is, in its own bytes",
    arguments: [
      "../../dev/null", "' OR 1=1--", "%00", "\u{212A}ey-1", "cle\u{301}", "cl\u{e9}", "key-1 ", "KEY-1",
      String(repeating: "k", count: 64),
    ])
  func hostileKids(_ kid: String) throws {
    let token = try IdentityToken.parse(forge.token(header: #"{"alg":"ES256","kid":"\#(kid)"}"#))
    #expect(Array(token.keyID.utf8) == Array(kid.utf8))
    #expect(!token.keyID.utf8.elementsEqual("key-1".utf8))
  }

  @Test(
    "SEC-J19: a member that comes twice is refused, in both orders and spelt with escapes",
    arguments: [
      #"{"alg":"none","alg":"ES256","kid":"key-1"}"#, #"{"alg":"ES256","alg":"none","kid":"key-1"}"#,
      #"{"alg":"ES256","alg":"ES256","kid":"key-1"}"#, #"{"alg":"ES256","kid":"key-2","kid":"key-1"}"#,
      #"{"alg":"ES256","kid":"key-1","kid":"key-2"}"#, #"{"alg":"ES256","\u0061lg":"none","kid":"key-1"}"#,
      #"{"alg":"ES256","kid":"key-1","x":{"y":1,"y":2}}"#,
    ])
  func duplicates(_ header: String) throws {
    #expect(try forge.rejection(header: header) == .headerMalformed)
  }

  @Test(
    "SEC-J20: the type is absent or JWT in any case",
    arguments: [
      (#""JWT""#, nil), (#""jwt""#, nil), (#""Jwt""#, nil), (#""at+jwt""#, IdentityRejection.typWrong),
      (#""secevent+jwt""#, .typWrong), (#""JWE""#, .typWrong), (#""JWT ""#, .typWrong), ("1", .typWrong),
      ("null", .typWrong), (#"["JWT"]"#, .typWrong), (#""""#, .typWrong), (#""application/jwt""#, .typWrong),
      (#""ＪＷＴ""#, .typWrong),
    ])
  func types(_ type: String, _ expected: IdentityRejection?) throws {
    #expect(try forge.rejection(header: #"{"alg":"ES256","kid":"key-1","typ":\#(type)}"#) == expected)
    #expect(try forge.rejection(header: #"{"alg":"ES256","kid":"key-1"}"#) == nil)
  }

  @Test(
    "SEC-J21: a header that isn't one strict JSON object is refused",
    arguments: [
      "[]", #"["alg","ES256"]"#, #""ES256""#, "1", "null", "true", "", "{", "{}}", #"{"alg":"ES256","kid":"key-1",}"#,
      "\u{FEFF}" + TokenForge.header, TokenForge.header + "x", TokenForge.header + TokenForge.header,
      "/* */" + TokenForge.header, TokenForge.header + "\0", #"{"alg":"ES256","kid":"\ud800"}"#,
      #"{'alg':'ES256','kid':'key-1'}"#, #"{alg:"ES256",kid:"key-1"}"#,
    ])
  func malformed(_ header: String) throws {
    #expect(try forge.rejection(header: header) == .headerMalformed)
  }

  @Test("SEC-J21: UTF-16, UTF-32 and invalid UTF-8 are refused")
  func encodings() throws {
    let claims = Array(TokenForge.claims().utf8)
    // All of it is ASCII.
    let little = TokenForge.header.utf8.flatMap { byte -> [UInt8] in [byte, 0] }
    let big = TokenForge.header.utf8.flatMap { byte -> [UInt8] in [0, byte] }
    let wide = TokenForge.header.utf8.flatMap { byte -> [UInt8] in [0, 0, 0, byte] }
    let latin = Array(#"{"alg":"ES256","kid":"cl"#.utf8) + [0xE9] + Array(#""}"#.utf8)
    let overlong = Array(#"{"alg":"ES256","kid":"k"#.utf8) + [0xC0, 0x80] + Array(#""}"#.utf8)
    for header in [little, [0xFF, 0xFE] + little, big, [0xFE, 0xFF] + big, wide, latin, overlong] {
      #expect(forge.rejection(of: try forge.token(header: header, claims: claims)) == .headerMalformed)
    }
  }
}
