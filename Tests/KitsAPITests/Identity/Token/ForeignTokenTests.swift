import Crypto
import KitsAPI
import Testing

@Suite("Tokens that another library signed")
struct ForeignTokenTests {
  @Test(
    "Two thousand tokens of PyJWT verify, and each with one bit flipped is refused (SEC-J5, SEC-J8, K24)",
    .enabled(if: ForeignSigner.isAvailable, "needs Debian's python3-jwt and python3-cryptography"))
  func pyJWT() throws {
    let forge = TokenForge()
    let tokens = try ForeignSigner.tokens(
      2000, privateKeyPEM: forge.key.pkcs8PEM, appID: TokenForge.appID, now: TokenForge.now)
    #expect(tokens.count == 2000)
    var leadingZeros = 0
    for (index, token) in tokens.enumerated() {
      let claims = try IdentityToken.parse(token).verify(
        key: forge.key.publicKey, appID: TokenForge.appID, now: TokenForge.now)
      #expect(claims.externalID == "user-\(index)")
      #expect(forge.rejection(of: Self.flipped(token)) != nil)
      #expect(forge.rejection(of: try Self.flippedInside(token)) != nil)
      if try Self.parts(token)[2][0] == 0 || Self.parts(token)[2][32] == 0 { leadingZeros += 1 }
    }
    // One in 128 has one; none among 2,000 would come once in six million runs.
    #expect(leadingZeros > 0)
  }

  /// One bit of the text.
  private static func flipped(_ token: String) -> String {
    var bytes = Array(token.utf8)
    let random = SystemRandom.uint64()
    bytes[Int(random % UInt64(bytes.count))] ^= 1 << UInt8(random >> 60 & 7)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// One bit of what a part stands for.
  private static func flippedInside(_ token: String) throws -> String {
    var parts = try parts(token)
    let random = SystemRandom.uint64()
    let part = Int(random >> 32 & 0xFF) % 3
    parts[part][Int(random & 0xFFFF) % parts[part].count] ^= 1 << UInt8(random >> 60 & 7)
    return parts.map { Base64URL.encode($0) }.joined(separator: ".")
  }

  private static func parts(_ token: String) throws -> [[UInt8]] {
    try token.split(separator: ".").map { try #require(Base64URL.decode(String($0))) }
  }
}
