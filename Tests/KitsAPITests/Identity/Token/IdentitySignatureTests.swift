import Crypto
import KitsAPI
import Testing

@Suite("Signatures of identity tokens")
struct IdentitySignatureTests {
  private let forge = TokenForge()

  private static let order: [UInt8] =
    Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551") ?? []
  private static let zero = [UInt8](repeating: 0, count: 32)
  private static let one: [UInt8] = zero.dropLast() + [1]
  private static let orderLess1: [UInt8] = order.dropLast() + [0x50]

  private static let trivial: [[UInt8]] = [
    zero + zero, zero + one, one + zero, one + one, order + one, one + order, order + order, orderLess1 + orderLess1,
    [UInt8](repeating: 0xFF, count: 64),
  ]

  @Test("SEC-J1: numbers out of range or trivial are no signature", arguments: trivial)
  func trivialNumbers(_ signature: [UInt8]) {
    #expect(forge.rejection(of: forge.token(signature: signature)) == .signatureWrong)
  }

  @Test("SEC-J1: a right number plus the order of the curve is another number")
  func plusOrder() throws {
    let signature = try forge.key.sign(Array(TokenForge.unsigned().utf8))
    let r = Self.add(signature.prefix(32), Self.order) + signature.suffix(32)
    let s = signature.prefix(32) + Self.add(signature.suffix(32), Self.order)
    #expect(forge.rejection(of: forge.token(signature: Array(r))) == .signatureWrong)
    #expect(forge.rejection(of: forge.token(signature: Array(s))) == .signatureWrong)
  }

  @Test("SEC-J2: zeros in DER are no signature")
  func zerosInDER() {
    #expect(forge.rejection(of: TokenForge.unsigned() + ".MAYCAQACAQA") == .signatureLengthWrong)
  }

  @Test("SEC-J3: a right signature in DER is refused")
  func der() throws {
    let raw = try forge.key.sign(Array(TokenForge.unsigned().utf8))
    let signature = try #require(ECDSASignature.der(fromRaw: raw))
    #expect(forge.rejection(of: forge.token(signature: signature)) == .signatureLengthWrong)
  }

  @Test("SEC-J4: any length but 64 bytes is refused", arguments: [0, 1, 2, 32, 63, 65, 66, 96, 128])
  func lengths(_ count: Int) throws {
    let raw = try forge.key.sign(Array(TokenForge.unsigned().utf8))
    let signature = Array((raw + [0, 0] + raw).prefix(count))
    #expect(forge.rejection(of: forge.token(signature: signature)) == .signatureLengthWrong)
  }

  @Test(
    "SEC-J5, SEC-J6: signatures that begin with a zero byte, or like DER, verify", arguments: [UInt8(0), UInt8(0x30)])
  func firstBytes(_ first: UInt8) throws {
    let unsigned = Array(TokenForge.unsigned().utf8)
    // One in 256 begins so; none among 10,000 would come once in 10^17 runs.
    for _ in 0..<10_000 {
      let signature = try forge.key.sign(unsigned)
      guard signature[0] == first || (first == 0 && signature[32] == 0) else { continue }
      #expect(forge.rejection(of: forge.token(signature: signature)) == nil)
      return
    }
    Issue.record("no such signature came")
  }

  @Test("SEC-J7: the twin with the other s verifies, so a token's text identifies nothing")
  func twin() throws {
    let signature = try forge.key.sign(Array(TokenForge.unsigned().utf8))
    let twin = Array(signature.prefix(32)) + Self.subtract(Self.order, signature.suffix(32))
    #expect(twin != signature)
    #expect(forge.rejection(of: forge.token(signature: signature)) == nil)
    #expect(forge.rejection(of: forge.token(signature: twin)) == nil)
  }

  @Test("SEC-J8: one bit changed anywhere in the three parts is refused")
  func changedBits() throws {
    let token = try forge.token()
    let parts = try token.split(separator: ".").map { try #require(Base64URL.decode(String($0))) }
    for part in 0..<3 {
      for bit in 0..<parts[part].count * 8 {
        var changed = parts
        changed[part][bit / 8] ^= 1 << UInt8(bit % 8)
        let text = changed.map { Base64URL.encode($0) }.joined(separator: ".")
        #expect(forge.rejection(of: text) != nil, "part \(part), bit \(bit)")
      }
    }
  }

  @Test("SEC-J9: the signature of another key is refused, though the kid is right")
  func otherKey() throws {
    let token = try forge.token()
    #expect(forge.rejection(of: token, by: TokenForge().key.publicKey) == .signatureWrong)
  }

  @Test("SEC-J10: a token of another app is refused by the right key too")
  func otherApp() throws {
    let token = try forge.token()
    let other = "01936b2e-8c4f-7d21-9a53-2f6c1b8e4d71"
    #expect(forge.rejection(of: token, appID: other) == .issWrong)
    #expect(forge.rejection(of: token, by: TokenForge().key.publicKey, appID: other) == .signatureWrong)
  }

  /// Modulo 2^256.
  private static func add(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> [UInt8] {
    var carry = 0
    return zip(a, b).reversed().map { x, y in
      let sum = Int(x) + Int(y) + carry
      carry = sum >> 8
      return UInt8(truncatingIfNeeded: sum)
    }.reversed()
  }

  private static func subtract(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> [UInt8] {
    var borrow = 0
    return zip(a, b).reversed().map { x, y in
      let difference = Int(x) - Int(y) - borrow
      borrow = difference < 0 ? 1 : 0
      return UInt8(truncatingIfNeeded: difference)
    }.reversed()
  }
}
