import APNs
import Crypto
import JSON
import Testing

@Suite("Provider token")
struct ProviderTokenTests {
  @Test("ES256 over the first two parts, kid in the header alone, iat a number")
  func mint() throws {
    let key = P256PrivateKey()
    let token = try ProviderToken.mint(teamID: "TEAM000001", keyID: "KEY0000001", issuedAt: 1_700_000_000, key: key)
    #expect(token.issuedAt == 1_700_000_000)
    let parts = token.jwt.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    #expect(parts.count == 3)
    let header = try #require(Base64URL.decode(parts[0]))
    let claims = try #require(Base64URL.decode(parts[1]))
    let signature = try #require(Base64URL.decode(parts[2]))
    #expect(String(decoding: header, as: UTF8.self) == #"{"alg":"ES256","kid":"KEY0000001"}"#)
    #expect(String(decoding: claims, as: UTF8.self) == #"{"iss":"TEAM000001","iat":1700000000}"#)
    #expect(signature.count == 64)
    #expect(key.publicKey.verify(signature: signature, message: Array("\(parts[0]).\(parts[1])".utf8)))
    #expect(!P256PrivateKey().publicKey.verify(signature: signature, message: Array("\(parts[0]).\(parts[1])".utf8)))
  }

  @Test("K33: it shows in no text")
  func redacted() {
    let token = ProviderTokenValue(jwt: "secret.secret.secret", issuedAt: 1)
    var dumped = ""
    dump(token, to: &dumped)
    for text in ["\(token)", String(describing: token), String(reflecting: token), "\([token])", dumped] {
      #expect(!text.contains("secret"))
    }
  }
}
