import Crypto
import KitsCore
import Testing

@testable import KitsAPI

/// The rule alone, with the time as an argument (facts H1 to H16 are named SEC-H).
struct SignatureRuleTests {
  static let signer = Signer(token: "kits_pk_0123456789abcdefABCDEFxxxxxx", secret: Array(0..<32))
  static let now: Int64 = 1_790_000_100  // 300 divides it
  static let target = "/v1/installations?a=%2F"
  static let body = Array(#"{"platform":"ios"}"#.utf8)

  static func policy(
    _ mode: SigningMode = .required, current: [UInt8]? = signer.secret, previous: ([UInt8], goodUntil: Int64)? = nil
  ) throws -> SigningPolicy {
    SigningPolicy(
      mode: mode, bucketSeconds: 300, appToken: Array(signer.token.utf8),
      current: try current.map { SigningPolicy.Secret(key: try HMACKey($0), goodUntil: nil) },
      previous: try previous.map {
        SigningPolicy.Secret(key: try HMACKey($0.0), goodUntil: Timestamp(microseconds: $0.goodUntil * 1_000_000))
      })
  }

  static func judge(
    _ header: String?, _ policy: SigningPolicy, method: String = "POST", target: String = target,
    body: [UInt8] = body, now: Int64 = now, microseconds: Int64 = 0
  ) -> SignatureFault? {
    policy.judge(
      header, SignedContent(method: method, target: target, body: body),
      now: Timestamp(microseconds: now * 1_000_000 + microseconds))
  }

  static func header(at seconds: Int64 = now, _ signer: Signer = signer) throws -> String {
    try signer.header("POST", target, body, at: seconds)
  }

  @Test(
    "The mode decides about no signature and a wrong one (T2)",
    arguments: [
      (SigningMode.off, nil, nil, nil), (.optional, nil, .mac, nil), (.required, .absent, .mac, nil),
    ] as [(SigningMode, SignatureFault?, SignatureFault?, SignatureFault?)])
  func modes(mode: SigningMode, none: SignatureFault?, wrong: SignatureFault?, right: SignatureFault?) throws {
    let policy = try Self.policy(mode)
    var other = Self.signer
    other.secret[0] ^= 1
    #expect(Self.judge(nil, policy) == none)
    #expect(Self.judge(try Self.header(other), policy) == wrong)
    #expect(Self.judge(try Self.header(), policy) == right)
  }

  static let digits = String(repeating: "a", count: 64)

  private static let malformedShapes: [String] = [
    "", ":", ":::", "v1", "v1:t:1", "v1:t:1:\(digits):x", "v1::1:\(digits)", "v1:t::\(digits)", "v1:t:1:",
    ":v1:t:1:\(digits)", "v1:t:1:\(digits):", "V1:t:1:\(digits)", "v2:t:1:\(digits)", "v1 :t:1:\(digits)",
    " v1:t:1:\(digits)", "v1:t:1:\(digits) ", "v1:t:1: \(digits)", "v1:t t:1:\(digits)", "v1:t\u{0}:1:\(digits)",
    "v1:té:1:\(digits)", "v1:\(String(repeating: "t", count: 65)):1:\(digits)",
  ]
  private static let malformedTimes: [String] = [
    "+1790000000", " 1790000000", "1790000000 ", "01790000000", "1790000000.0", "1.79e9", "0x6AB13B00", "-1", "-0",
    "00", "12345678901234567890", "999999999999", "１７９０００００００", "١٧٩٠", "1_790", "nan",
  ]
  private static let malformedMACs: [String] = [
    String(digits.dropLast()), digits + "a", digits + digits, String(repeating: "+f", count: 32),
    "0x" + digits.dropLast(2), String(repeating: "Ｆ", count: 64), String(repeating: "Ｆ", count: 22),
    String(repeating: "A", count: 64), String(repeating: "a", count: 63) + "A", String(repeating: "g", count: 64),
    "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", String(repeating: "a", count: 63) + "\n",
    String(repeating: "a", count: 62) + "\r\n",
  ]
  static var noSignatures: [String] {
    malformedShapes + malformedTimes.map { "v1:t:\($0):\(digits)" } + malformedMACs.map { "v1:t:1:\($0)" }
  }

  @Test("SEC-H1, H2, H3, H5, H21: what isn't exactly of the form is no signature", arguments: noSignatures)
  func malformed(text: String) throws {
    #expect(RequestSignature(text) == nil)
    #expect(Self.judge(text, try Self.policy()) == .malformed)
    #expect(Self.judge(text, try Self.policy(.optional)) == .malformed)
  }

  @Test("What is of the form is read as it stands", arguments: [0, 1, 1_790_000_000, 99_999_999_999] as [Int64])
  func wellFormed(seconds: Int64) {
    let signature = RequestSignature("v1:kits_pk_x:\(seconds):\(Self.digits)")
    #expect(
      signature
        == RequestSignature(appToken: Array("kits_pk_x".utf8), seconds: seconds, mac: Array(repeating: 0xaa, count: 32))
    )
  }

  @Test("SEC-H4: a beginning of the right signature is none", arguments: [1, 8, 31])
  func shortened(bytes: Int) throws {
    let mac = Hex.encode(Array(try Self.signer.mac("POST", Self.target, Self.body, at: Self.now).prefix(bytes)))
    let zeros = String(repeating: "0", count: 64 - mac.count)
    #expect(Self.judge("v1:\(Self.signer.token):\(Self.now):\(mac)", try Self.policy()) == .malformed)
    #expect(Self.judge("v1:\(Self.signer.token):\(Self.now):\(mac)\(zeros)", try Self.policy()) == .mac)
  }

  @Test("SEC-H6, H19: method, path, query and each byte of the body are covered")
  func covered() throws {
    let (header, policy) = (try Self.header(), try Self.policy())
    #expect(Self.judge(header, policy, method: "PATCH") == .mac)
    for target in ["/v1/installations", "/v1/installations?a=/", "/v1/installations?a=%2f", Self.target + "&b"] {
      #expect(Self.judge(header, policy, target: target) == .mac)
    }
    for body in [[], Self.body + [0x0a], Array(#"{"platform": "ios"}"#.utf8), Array(Self.body.dropLast())] {
      #expect(Self.judge(header, policy, body: body) == .mac)
    }
  }

  @Test("SEC-H7: within its window another timestamp is as good: the window's number is signed")
  func sameWindow() throws {
    let mac = Hex.encode(try Self.signer.mac("POST", Self.target, Self.body, at: Self.now))
    for (seconds, fault) in [
      (Self.now, nil), (Self.now + 299, nil), (Self.now + 300, SignatureFault.mac), (Self.now - 1, .mac),
    ] {
      #expect(Self.judge("v1:\(Self.signer.token):\(seconds):\(mac)", try Self.policy()) == fault)
    }
  }

  @Test(
    "SEC-H8, H9: the server's window and one on either side, to the microsecond",
    arguments: [
      // Seconds of the signature and of the server after the start of a window, microseconds of the server.
      (0, 0, 0, nil), (299, 0, 0, nil), (0, 299, 999_999, nil), (-1, 0, 0, nil), (-300, 0, 0, nil),
      (-300, 299, 999_999, nil), (-301, 0, 0, .window), (-301, 299, 0, .window), (-300, 300, 0, .window),
      (300, 0, 0, nil), (599, 0, 0, nil), (600, 0, 0, .window), (600, 299, 999_999, .window), (600, 300, 0, nil),
      (899, 300, 0, nil), (-86_400, 0, 0, .window), (86_400, 0, 0, .window),
    ] as [(Int64, Int64, Int64, SignatureFault?)])
  func windows(signed: Int64, server: Int64, microseconds: Int64, fault: SignatureFault?) throws {
    let header = try Self.header(at: Self.now + signed)
    let found = Self.judge(header, try Self.policy(), now: Self.now + server, microseconds: microseconds)
    #expect(found == fault)
  }

  @Test("Windows before 1970 are rounded down like the others", arguments: [(-1, -1), (-300, -1), (-301, -2), (0, 0)])
  func negativeWindows(seconds: Int64, window: Int64) {
    #expect(RequestSignature.window(of: seconds, 300) == window)
  }

  @Test("SEC-H12: no two requests have the same bytes under the MAC")
  func separators() {
    let contents = [
      ("GET", "/a"), ("GET", "/a/"), ("GE", "T/a"), ("GET/", "a"), ("GET", "/a?b"), ("GETv1", "/a"),
    ].map { SignedContent(method: $0.0, target: $0.1, body: []) }
    let messages = contents.flatMap { content in
      [("kits_pk_a", 12), ("kits_pk_a1", 2), ("kits_pk_", 112)].map { token, window in
        content.message(appToken: Array(token.utf8), window: window)
      }
    }
    #expect(Set(messages).count == messages.count)
    #expect(messages.allSatisfy { $0.count { $0 == 0x0a } == 5 })
  }

  @Test("SEC-H13: another app's token is refused, genuine or not")
  func foreignToken() throws {
    var other = Self.signer
    other.token = "kits_pk_0123456789abcdefABCDEFxxxxxy"
    #expect(Self.judge(try Self.header(other), try Self.policy()) == .foreignToken)
    other.secret = Array(repeating: 9, count: 32)
    #expect(Self.judge(try Self.header(other), try Self.policy()) == .foreignToken)
  }

  @Test(
    "SEC-H14: the replaced secret is good for 48 hours, not at the end of them",
    arguments: [
      (0, 0, nil), (172_799, 999_999, nil), (172_800, 0, .mac), (172_801, 0, .mac),
    ] as [(Int64, Int64, SignatureFault?)])
  func grace(elapsed: Int64, microseconds: Int64, fault: SignatureFault?) throws {
    let policy = try Self.policy(
      current: Array(repeating: 7, count: 32), previous: (Self.signer.secret, goodUntil: Self.now + 172_800))
    let header = try Self.header(at: Self.now + elapsed)
    #expect(Self.judge(header, policy, now: Self.now + elapsed, microseconds: microseconds) == fault)
    var renewed = Self.signer
    renewed.secret = Array(repeating: 7, count: 32)
    #expect(Self.judge(try Self.header(at: Self.now + elapsed, renewed), policy, now: Self.now + elapsed) == nil)
  }

  @Test("SEC-H15: without a secret nothing verifies, whatever one takes for it")
  func noSecret() throws {
    let policy = try Self.policy(current: nil)
    for secret in [Array("null".utf8), Array(repeating: 0, count: 32), [0], Array("<redacted>".utf8)] {
      var signer = Self.signer
      signer.secret = secret
      #expect(Self.judge(try Self.header(signer), policy) == .mac)
      #expect(Self.judge(try Self.header(signer), try Self.policy()) == .mac)
    }
    #expect(throws: CryptoError.self) { try HMACKey([]) }
  }

  private static func header(_ signer: Signer) throws -> String { try header(at: now, signer) }
}
