import Crypto
import Foundation
import Testing

@Suite("Private keys")
struct PrivateKeyTests {
  static func found(_ pem: String) -> KeyError.Found? {
    do {
      _ = try P256PrivateKey(pkcs8PEM: pem)
      return nil
    } catch {
      return error.found
    }
  }

  static func frame(_ der: [UInt8]) -> String {
    "-----BEGIN PRIVATE KEY-----\n\(Base64.encode(der))\n-----END PRIVATE KEY-----\n"
  }

  static let p256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
  static let p384: [UInt8] = [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
  static let ec: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]

  static func tlv(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    content.count < 128 ? [tag, UInt8(content.count)] + content : [tag, 0x81, UInt8(content.count)] + content
  }

  /// PKCS#8 put together by hand, each part replaceable.
  static func pkcs8(
    version: UInt8 = 0, curve: [UInt8] = p256, innerVersion: UInt8 = 1, scalar: [UInt8], innerCurve: [UInt8]? = nil,
    point: [UInt8]? = nil, trailing: [UInt8] = [], after: [UInt8] = []
  ) -> [UInt8] {
    var inner = [0x02, 0x01, innerVersion] + tlv(0x04, scalar)
    if let innerCurve { inner += tlv(0xA0, innerCurve) }
    if let point { inner += tlv(0xA1, tlv(0x03, [0] + point)) }
    let body = [0x02, 0x01, version] + tlv(0x30, ec + curve) + tlv(0x04, tlv(0x30, inner)) + trailing
    return tlv(0x30, body) + after
  }

  static let one = [UInt8](repeating: 0, count: 31) + [1]
  static let order: [UInt8] =
    Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551") ?? []
  /// The generator: the public point of the private number 1.
  static let generator: [UInt8] =
    Hex.decode(
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5") ?? []

  @Test("The forms that the common tools write are read, and the public half is computed")
  func forms() throws {
    let forms = [
      Self.pkcs8(scalar: Self.one), Self.pkcs8(scalar: Self.one, point: Self.generator),
      Self.pkcs8(scalar: Self.one, innerCurve: Self.p256),
      Self.pkcs8(scalar: Self.one, innerCurve: Self.p256, point: Self.generator),
    ]
    for form in forms {
      let key = try P256PrivateKey(pkcs8PEM: Self.frame(form))
      #expect(key.publicKey.x963 == Self.generator)
      #expect(key.publicKey.verify(signature: try key.sign([7]), message: [7]))
      #expect(try P256PrivateKey(pkcs8PEM: key.pkcs8PEM).publicKey == key.publicKey)
    }
  }

  @Test("The private number may be 1 up to the order less 1, nothing else")
  func scalars() throws {
    var last = Self.order
    last[31] -= 1
    #expect(Self.found(Self.frame(Self.pkcs8(scalar: last))) == nil)
    var beyond = Self.order
    beyond[31] += 1
    let refused = [
      [UInt8](repeating: 0, count: 32), Self.order, beyond, [UInt8](repeating: 0xFF, count: 32), [1], [],
      [0] + Self.one, Array(Self.one.dropFirst()),
    ]
    for scalar in refused { #expect(Self.found(Self.frame(Self.pkcs8(scalar: scalar))) == .invalidScalar) }
  }

  @Test("Inconsistent and padded encodings are refused")
  func encodings() {
    let other = P256PrivateKey().publicKey.x963
    let cases: [([UInt8], KeyError.Found)] = [
      (Self.pkcs8(scalar: Self.one, innerCurve: Self.p384), .otherCurve),
      (Self.pkcs8(curve: Self.p384, scalar: Self.one, innerCurve: Self.p256), .otherCurve),
      (Self.pkcs8(curve: Self.p384, scalar: Self.one), .otherCurve),
      (Self.pkcs8(curve: [0x30, 0x00], scalar: Self.one), .explicitParameters),
      (Self.pkcs8(curve: [], scalar: Self.one), .malformed),
      (Self.pkcs8(curve: [0x05, 0], scalar: Self.one), .malformed),
      (Self.pkcs8(scalar: Self.one, point: other), .mismatchedPublicKey),
      (Self.pkcs8(scalar: Self.one, point: Array(Self.generator.prefix(33))), .compressedPoint),
      (Self.pkcs8(version: 1, scalar: Self.one), .malformed), (Self.pkcs8(version: 9, scalar: Self.one), .malformed),
      (Self.pkcs8(innerVersion: 0, scalar: Self.one), .malformed),
      (Self.pkcs8(scalar: Self.one, trailing: [0xA0, 0]), .malformed),
      (Self.pkcs8(scalar: Self.one, after: [0]), .malformed), ([0x30, 0], .malformed),
      ([0x30, 0x80, 0, 0], .malformed),
    ]
    for (der, expected) in cases { #expect(Self.found(Self.frame(der)) == expected, "\(der)") }
    let whole = Self.pkcs8(scalar: Self.one, innerCurve: Self.p256, point: Self.generator)
    for count in 1..<whole.count { #expect(Self.found(Self.frame(Array(whole.prefix(count)))) == .malformed) }
  }

  @Test("What else people paste is refused by name, without asking for a passphrase")
  func otherKinds() throws {
    let pkcs8 = try OpenSSLCommand.privateKey(curve: "P-256")
    let file = ["key.pem": Array(pkcs8.utf8)]
    #expect(Self.found(pkcs8) == nil)
    #expect(Self.found(try OpenSSLCommand.run(["ec", "-in", "key.pem"], files: file)) == .sec1PrivateKey)
    let encrypted = try OpenSSLCommand.run(
      ["pkcs8", "-topk8", "-in", "key.pem", "-passout", "pass:x"], files: file)
    #expect(Self.found(encrypted) == .encryptedPrivateKey)
    let traditional = try OpenSSLCommand.run(
      ["ec", "-in", "key.pem", "-aes128", "-passout", "pass:x"], files: file)
    #expect(Self.found(traditional) == .encryptedPrivateKey)
    #expect(Self.found(try OpenSSLCommand.publicKey(of: pkcs8)) == .publicKey)
    #expect(Self.found(try OpenSSLCommand.run(["genrsa", "2048"])) == .otherAlgorithm)
    #expect(Self.found(try OpenSSLCommand.run(["genrsa", "-traditional", "2048"])) == .rsaPrivateKey)
    #expect(Self.found(try OpenSSLCommand.run(["genpkey", "-algorithm", "ED25519"])) == .otherAlgorithm)
    for curve in ["P-384", "P-521", "secp256k1", "brainpoolP256r1"] {
      #expect(Self.found(try OpenSSLCommand.privateKey(curve: curve)) == .otherCurve, "\(curve)")
    }
    #expect(Self.found(try OpenSSLCommand.privateKey(curve: "P-256", parameters: "explicit")) == .explicitParameters)
    #expect(Self.found(try Vectors.text("pyca-x509/ecdsa_root.pem")) == .certificate)
    #expect(Self.found("0\u{82}\u{9}\u{b3}\u{2}\u{1}\u{3}") == .keyArchive)
    #expect(Self.found(pkcs8 + pkcs8) == .severalBlocks)
    #expect(Self.found(pkcs8 + (try OpenSSLCommand.publicKey(of: pkcs8))) == .severalBlocks)
    #expect(Self.found("x\n" + pkcs8) == .textAround)
    #expect(Self.found(pkcs8 + "x") == .textAround)
    #expect(Self.found(pkcs8.replacingOccurrences(of: "\n", with: "\r\n")) == nil)
    #expect(Self.found("") == .nothing)
    #expect(Self.found(String(repeating: "A", count: 5000)) == .tooLarge)
  }

  @Test("Neither texts nor errors show a key (K33)")
  func redaction() throws {
    let pem = try OpenSSLCommand.privateKey(curve: "P-256")
    let key = try P256PrivateKey(pkcs8PEM: pem)
    let body = pem.split(separator: "\n")[1]
    let hmac = try HMACKey(Array("SECRET-SECRET".utf8))
    for text in ["\(key)", String(reflecting: key), "\(key.publicKey)", "\(hmac)", String(reflecting: hmac)] {
      #expect(text == "<redacted>")
    }
    var dumped = ""
    dump([key], to: &dumped)
    #expect(!dumped.contains(body))
    let error = #expect(throws: KeyError.self) { try P256PublicKey(spkiPEM: pem) }
    #expect(error.map { "\($0) \(String(reflecting: $0))" }?.contains(body) == false)
    for found in KeyError.Found.allCases {
      #expect(KeyError(found: found, expected: .privateKey).message.contains("P-256 private key"))
    }
  }
}
