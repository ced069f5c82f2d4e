import Crypto
import KitsAPI
import KitsCore
import Testing

@Suite("Claims of identity tokens")
struct IdentityClaimTests {
  private let forge = TokenForge()
  private static let now = TokenForge.now

  private static let wrongTimes: [(String?, isSyntax: Bool)] = [
    ("1.7e9", false), ("1700000000.0", false), ("1.9e9", false), (#""1900000000""#, false), ("true", false),
    ("null", false), ("[]", false), ("[1900000000]", false), ("{}", false), (nil, false), ("-1", false), ("0", false),
    ("-0", false), ("1E0", false), ("9223372036854775807", false), ("1900000000000", false), ("253402300800", false),
    ("1e400", true), ("9223372036854775808", true), ("-9223372036854775809", true), ("1e19", false), ("01", true),
    ("+1900000000", true), ("0x10", true), ("NaN", true), ("-9223372036854775808", false),
  ]

  @Test("SEC-J29: a time is written as an integer of seconds, or refused", arguments: wrongTimes.indices)
  func times(_ index: Int) throws {
    let (text, isSyntax) = Self.wrongTimes[index]
    let iat = try forge.rejection(claims: TokenForge.claims(iat: text))
    let exp = try forge.rejection(claims: TokenForge.claims(exp: text))
    #expect(iat == (isSyntax ? .claimsMalformed : .iatInvalid), "\(text ?? "missing")")
    #expect(exp == (isSyntax ? .claimsMalformed : .expInvalid), "\(text ?? "missing")")
  }

  @Test(
    "SEC-J30: a token lives 1 to 3,600 seconds",
    arguments: [
      (0, IdentityRejection.lifetimeOutOfRange), (-1, .lifetimeOutOfRange), (3601, .lifetimeOutOfRange), (3600, nil),
      (1, nil), (-1_000_000, .lifetimeOutOfRange), (86_400, .lifetimeOutOfRange),
    ] as [(Int64, IdentityRejection?)])
  func lifetimes(_ seconds: Int64, _ expected: IdentityRejection?) throws {
    let claims = TokenForge.claims(iat: "\(Self.now)", exp: "\(Self.now + seconds)")
    #expect(try forge.rejection(claims: claims) == expected)
  }

  @Test("SEC-J31: no pair of times stops the process")
  func extremes() throws {
    let texts = ["\(Int64.min)", "\(Int64.max)", "-1", "0", "1", "253402300799", "\(Self.now)"]
    for iat in texts {
      for exp in texts {
        for now in [Int64.min, -1, 0, Self.now, Int64.max - 30, Int64.max] {
          #expect(try forge.rejection(claims: TokenForge.claims(iat: iat, exp: exp), now: now) != nil)
        }
      }
    }
  }

  @Test("SEC-J32: a token is worth nothing from the second of its exp on")
  func expiry() throws {
    let token = try forge.token(claims: TokenForge.claims(iat: "\(Self.now)", exp: "\(Self.now + 300)"))
    #expect(forge.rejection(of: token, now: Self.now + 299) == nil)
    #expect(forge.rejection(of: token, now: Self.now + 300) == .expired)
    #expect(forge.rejection(of: token, now: Self.now + 301) == .expired)
    #expect(forge.rejection(of: token, now: Int64.max) == .expired)
  }

  @Test(
    "SEC-J33: an iat may be 60 seconds ahead, and that adds nothing to the life",
    arguments: [(0, nil), (60, nil), (61, IdentityRejection.issuedInFuture)] as [(Int64, IdentityRejection?)])
  func skew(_ seconds: Int64, _ expected: IdentityRejection?) throws {
    let iat = Self.now + seconds
    let token = try forge.token(claims: TokenForge.claims(iat: "\(iat)", exp: "\(iat + 1)"))
    #expect(forge.rejection(of: token) == expected)
    #expect(forge.rejection(of: token, now: iat + 1) == .expired)
  }

  @Test("SEC-J34: nbf is honoured where there is one")
  func notBefore() throws {
    let cases: [(String, IdentityRejection?)] = [
      ("\(Self.now)", nil), ("\(Self.now - 100_000)", nil), ("\(Self.now + 60)", nil),
      ("\(Self.now + 61)", .notYetValid), ("\(Self.now + 250)", .notYetValid), (#""\#(Self.now)""#, .nbfInvalid),
      ("null", .nbfInvalid), ("true", .nbfInvalid), ("1.9e9", .nbfInvalid), ("0", .nbfInvalid), ("[]", .nbfInvalid),
    ]
    for (text, expected) in cases {
      #expect(try forge.rejection(claims: TokenForge.claims(more: #","nbf":\#(text)"#)) == expected, "\(text)")
    }
  }

  @Test(
    "SEC-J35: the audience is kits:identity, alone or alone in an array",
    arguments: [
      nil, "null", #""""#, #""KITS:IDENTITY""#, #""kits:identity ""#, #"" kits:identity""#, #""kits:identity/""#,
      #"["kits:identity","x"]"#, #"["x","kits:identity"]"#, #"["x"]"#, "[]", "{}", #"{"kits:identity":true}"#, "1",
      "true", #"[["kits:identity"]]"#, #"["kits:identity","kits:identity"]"#, #"[null]"#, #""kits:identity,x""#,
    ])
  func wrongAudiences(_ aud: String?) throws {
    #expect(try forge.rejection(claims: TokenForge.claims(aud: aud)) == .audWrong)
  }

  @Test("SEC-J35: both forms of the right audience are accepted, one with U+0000 isn't")
  func audiences() throws {
    #expect(try forge.rejection(claims: TokenForge.claims(aud: #""kits:identity""#)) == nil)
    #expect(try forge.rejection(claims: TokenForge.claims(aud: #"["kits:identity"]"#)) == nil)
    #expect(try forge.rejection(claims: TokenForge.claims(aud: #""kits:identity\u0000""#)) == .claimsMalformed)
  }

  @Test(
    "SEC-J36: the issuer is the id of the app, in lower case",
    arguments: [
      #""01936b2e-8c4f-7d21-9a53-2f6c1b8e4d71""#, nil, "null", #"["01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70"]"#, "1",
      #""""#,
      #""01936B2E-8C4F-7D21-9A53-2F6C1B8E4D70""#, #""01936b2e8c4f7d219a532f6c1b8e4d70""#,
      #""01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70 ""#, #""https://01936b2e-8c4f-7d21-9a53-2f6c1b8e4d70""#, "{}",
    ])
  func issuers(_ iss: String?) throws {
    #expect(try forge.rejection(claims: TokenForge.claims(iss: iss)) == .issWrong)
  }

  @Test(
    "SEC-J37: without an identity that has an external_id, nobody is meant",
    arguments: [
      nil, "null", #""alice""#, "[]", #"["alice"]"#, #"[{"external_id":"alice"}]"#, "{}", "1",
      #"{"external_id":null}"#, #"{"external_id":1}"#, #"{"external_id":true}"#, #"{"external_id":["alice"]}"#,
      #"{"external_id":{"id":"alice"}}"#,
    ])
  func noIdentity(_ identity: String?) throws {
    #expect(try forge.rejection(claims: TokenForge.claims(identity: identity)) == .externalIDMissing)
  }

  @Test(
    "SEC-J37: an external_id that no user can have is refused",
    arguments: [
      #""""#, #"" ""#, #""\t""#, #""\u00a0\u2003""#, #""a\nb""#, #""a\u001fb""#, #""a\u007fb""#, #""a\u0085b""#,
      #""\ufeffalice""#, #""alice\u202e""#, #""\u2066alice\u2069""#, #""a\u200fb""#, #""a\u061cb""#,
    ])
  func wrongExternalIDs(_ text: String) throws {
    #expect(try forge.rejection(claims: TokenForge.claims(externalID: text)) == .externalIDInvalid)
  }

  @Test("SEC-J37: U+0000 and half a surrogate pair aren't even JSON here")
  func brokenStrings() throws {
    for text in [#""alice\u0000bob""#, #""\ud800""#, #""\udc00x""#, #""\ud800\u0041""#] {
      #expect(try forge.rejection(claims: TokenForge.claims(externalID: text)) == .claimsMalformed)
    }
    let bytes = Array(#"{"identity":{"external_id":"a"#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}}"#.utf8)
    let token = try forge.token(header: Array(TokenForge.header.utf8), claims: bytes)
    #expect(forge.rejection(of: token) == .claimsMalformed)
  }

  @Test("SEC-J37: an external_id has 1 to 256 bytes of UTF-8")
  func externalIDLength() throws {
    func rejection(_ text: String) throws -> IdentityRejection? {
      try forge.rejection(claims: TokenForge.claims(externalID: "\"\(text)\""))
    }
    #expect(try rejection("a") == nil)
    #expect(try rejection(String(repeating: "a", count: 256)) == nil)
    #expect(try rejection(String(repeating: "a", count: 257)) == .externalIDInvalid)
    #expect(try rejection(String(repeating: "é", count: 128)) == nil)
    #expect(try rejection(String(repeating: "é", count: 128) + "a") == .externalIDInvalid)
    #expect(try rejection(String(repeating: "a", count: 4000)) == .externalIDInvalid)
    #expect(try rejection(String(repeating: "a", count: 10_000)) == .tooLong)
  }

  @Test(
    "SEC-J38: a claim that comes twice is refused, also spelt with an escape",
    arguments: [
      #","exp":1900000300"#, #","exp":1"#, #","\u0065xp":1900000300"#, #","identity":{"external_id":"bob"}"#,
      #","iss":"x""#, #","aud":"kits:identity""#, #","x":1,"x":1"#, #","x":{"y":[{"z":1,"z":1}]}"#,
    ])
  func duplicates(_ more: String) throws {
    #expect(try forge.rejection(claims: TokenForge.claims(more: more)) == .claimsMalformed)
  }

  @Test("SEC-J38: an external_id that comes twice is refused, also spelt with an escape")
  func duplicateExternalIDs() throws {
    for second in ["external_id", #"\u0065xternal_id"#] {
      let identity = #"{"external_id":"alice","\#(second)":"bob"}"#
      #expect(try forge.rejection(claims: TokenForge.claims(identity: identity)) == .claimsMalformed)
    }
  }

  @Test(
    "SEC-J39: texts that look alike or fold to one are different users, byte for byte",
    arguments: [
      ("\u{e9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{FB01}", "fi"), ("\u{1D2E}\u{1D35}\u{1D33}", "BIG"),
      ("\u{130}", "i\u{307}"), ("\u{37E}", ";"), ("alice", "Alice"), ("alice", "alice "),
    ])
  func lookalikes(_ one: String, _ other: String) throws {
    func claims(_ id: String) throws -> IdentityClaims {
      let token = try forge.token(claims: TokenForge.claims(externalID: "\"\(id)\""))
      return try IdentityToken.parse(token).verify(
        key: forge.key.publicKey, appID: TokenForge.appID, now: Self.now)
    }
    #expect(Array(try claims(one).externalID.utf8) == Array(one.utf8))
    #expect(Array(try claims(other).externalID.utf8) == Array(other.utf8))
    #expect(try claims(one) != claims(other))
    #expect(ExternalID(one) != ExternalID(other))
  }

  @Test(
    "SEC-J40: no other place and no other spelling names the user",
    arguments: [
      (nil, #","external_id":"alice""#), (nil, #","sub":"alice""#), (#"{"sub":"alice"}"#, ""),
      (nil, #","Identity":{"external_id":"alice"}"#), (#"{"External_id":"alice"}"#, ""),
      (#"{"externalId":"alice"}"#, ""),
      (nil, #","identity.external_id":"alice""#),
    ] as [(String?, String)])
  func noFallback(_ identity: String?, _ more: String) throws {
    #expect(
      try forge.rejection(claims: TokenForge.claims(identity: identity, more: more)) == .externalIDMissing)
  }

  @Test("SEC-J41: claims that Kits doesn't know are ignored, up to 32 levels deep")
  func unknownClaims() throws {
    func nested(_ levels: Int) -> String {
      #","x":"# + String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    let more = #","sub":"bob","jti":"1","name":"Ä","ratio":0.5,"roles":["a",null,true,{"b":-1}]"#
    #expect(try forge.rejection(claims: TokenForge.claims(more: more)) == nil)
    #expect(try forge.rejection(claims: TokenForge.claims(identity: #"{"external_id":"alice","email":"x"}"#)) == nil)
    #expect(try forge.rejection(claims: TokenForge.claims(more: nested(31))) == nil)
    #expect(try forge.rejection(claims: TokenForge.claims(more: nested(32))) == .claimsMalformed)
    #expect(try forge.rejection(claims: TokenForge.claims(more: nested(64))) == .claimsMalformed)
    #expect(try forge.rejection(claims: TokenForge.claims(more: nested(2900))) == .claimsMalformed)
  }

  @Test(
    "Claims that aren't one strict JSON object are refused",
    arguments: ["[]", "", "null", "1", "\u{FEFF}{}", "{}x", TokenForge.claims() + ",", "{,}"])
  func malformed(_ claims: String) throws {
    #expect(try forge.rejection(claims: claims) == .claimsMalformed)
  }
}
