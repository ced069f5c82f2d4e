import Crypto
import Testing

@testable import APNsSimulator

@Suite("Provider tokens")
struct CredentialTests {
  private let provider = Provider()
  private let now: Int64 = 1_900_000_000

  private func judge(
    _ tokens: [(text: String, at: Int64)], keys: [ProviderKey], authority: String = "localhost",
    rules: ValidationRules = ValidationRules()
  ) -> [Reason?] {
    var ring = KeyRing()
    for key in keys { _ = ring.add(key) }
    var credential = ConnectionCredential()
    let reader = ProviderTokenReader()
    return tokens.map { token in
      var push = Push(token: token.text)
      push.authority = authority
      return Validator(rules: rules, keys: ring, now: token.at)
        .reject(push.request, credential: &credential, reader: reader)?.reason
    }
  }

  private func one(_ text: String) -> Reason? {
    judge([(text, now)], keys: [provider.known])[0]
  }

  @Test("A token that is malformed, foreign or badly signed is invalid")
  func invalid() throws {
    let good = try provider.token(issuedAt: now)
    let parts = good.split(separator: ".").map(String.init)
    #expect(one(good) == nil)
    #expect(one("x") == .invalidProviderToken)
    #expect(one(parts[0] + "." + parts[1]) == .invalidProviderToken)
    #expect(one(good + ".x") == .invalidProviderToken)
    #expect(one(parts[0] + "." + parts[1] + ".") == .invalidProviderToken)
    #expect(one(try provider.token(issuedAt: now, signer: P256PrivateKey())) == .invalidProviderToken)
    #expect(one(try provider.token(head: "{\"alg\":\"HS256\",\"kid\":\"KEY0000001\"}")) == .invalidProviderToken)
    #expect(one(try provider.token(head: "{\"alg\":\"none\",\"kid\":\"KEY0000001\"}")) == .invalidProviderToken)
    #expect(one(try provider.token(head: "{\"alg\":\"ES256\"}")) == .invalidProviderToken)
    #expect(one(try provider.token(head: "{\"alg\":\"ES256\",\"kid\":\"OTHER\"}")) == .invalidProviderToken)
    #expect(one(try provider.token(claims: "{\"iss\":\"OTHER\",\"iat\":\(now)}")) == .invalidProviderToken)
    #expect(one(try provider.token(claims: "{\"iss\":\"TEAM000001\",\"iat\":\"\(now)\"}")) == .invalidProviderToken)
    #expect(one(try provider.token(claims: "{\"iss\":\"TEAM000001\"}")) == .invalidProviderToken)
    #expect(one(String(repeating: "a", count: 5_000)) == .invalidProviderToken)
  }

  @Test("A signature in DER is refused")
  func derSignature() throws {
    let parts = try provider.token(issuedAt: now).split(separator: ".").map(String.init)
    let raw = try #require(Base64URL.decode(parts[2]))
    func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
      let value = (bytes[bytes.startIndex] & 0x80 != 0 ? [0] : []) + Array(bytes)
      return [0x02, UInt8(value.count)] + value
    }
    let body = integer(raw[..<32]) + integer(raw[32...])
    let der = [0x30, UInt8(body.count)] + body
    #expect(one(parts[0] + "." + parts[1] + "." + Base64URL.encode(der)) == .invalidProviderToken)
  }

  @Test("Without a bearer token there is none", arguments: ["", "basic eHg=", "bearer", "token x"])
  func missing(_ value: String) {
    var credential = ConnectionCredential()
    let push = Push().with("authorization", value)
    let rejection = Validator(now: now)
      .reject(push.request, credential: &credential, reader: ProviderTokenReader())
    #expect(rejection == Rejection(.missingProviderToken, authenticated: false))
  }

  @Test(
    "A token is good for an hour on either side of now",
    arguments: [(-3_601, false), (-3_600, true), (0, true), (3_600, true), (3_601, false), (Int64.min / 2, false)])
  func age(_ offset: Int64, _ isGood: Bool) throws {
    #expect(one(try provider.token(issuedAt: now + offset)) == (isGood ? nil : .expiredProviderToken))
  }

  @Test("A connection changes its token every 20 minutes at most; a refused change changes nothing")
  func updates() throws {
    let first = try provider.token(issuedAt: now)
    let second = try provider.token(issuedAt: now + 1)
    let reasons = judge(
      [(first, now), (second, now + 1_199), (first, now + 1_199), (second, now + 1_200), (first, now + 1_300)],
      keys: [provider.known])
    #expect(reasons == [nil, .tooManyProviderTokenUpdates, nil, nil, .tooManyProviderTokenUpdates])
  }

  @Test("A connection belongs to the team of its first push")
  func teams() throws {
    let other = Provider(keyID: "KEY0000002", teamID: "TEAM000002")
    let reasons = judge(
      [(try provider.token(issuedAt: now), now), (try other.token(issuedAt: now), now)],
      keys: [provider.known, other.known])
    #expect(reasons == [nil, .invalidProviderToken])
  }

  @Test("Team key and topic key don't share a connection; keys for the same topics do")
  func kinds() throws {
    let topics = Provider(keyID: "KEY0000002", topics: ["com.example.app"])
    let related = Provider(keyID: "KEY0000003", topics: ["com.example.app"])
    let keys = [provider.known, topics.known, related.known]
    let tokens = try [provider, topics, related].map { (try $0.token(issuedAt: now), now) }
    #expect(judge([tokens[0], tokens[1]], keys: keys) == [nil, .unrelatedKeyIDInToken])
    #expect(judge([tokens[1], tokens[0]], keys: keys) == [nil, .unrelatedKeyIDInToken])
    #expect(judge([tokens[1], tokens[2], tokens[1]], keys: keys) == [nil, nil, nil])
  }

  @Test("A key of the other environment is refused, by host name first, by option else")
  func environments() throws {
    let sandbox = Provider(environment: .sandbox)
    let token = [(try sandbox.token(issuedAt: now), now)]
    #expect(judge(token, keys: [sandbox.known]) == [nil])
    #expect(judge(token, keys: [sandbox.known], authority: "api.sandbox.push.apple.com:443") == [nil])
    #expect(judge(token, keys: [sandbox.known], authority: "api.push.apple.com") == [.badEnvironmentKeyIDInToken])
    var rules = ValidationRules()
    rules.environment = .production
    #expect(judge(token, keys: [sandbox.known], rules: rules) == [.badEnvironmentKeyIDInToken])
  }

  @Test("A key that is replaced makes tokens of the old one invalid at once")
  func replacedKey() throws {
    var ring = KeyRing()
    _ = ring.add(provider.known)
    let reader = ProviderTokenReader()
    let token = try provider.token(issuedAt: now)
    #expect(reader.read(token, keys: ring) != nil)
    _ = ring.add(Provider().known)
    #expect(reader.read(token, keys: ring) == nil)
  }
}
