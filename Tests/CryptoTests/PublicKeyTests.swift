import Crypto
import Foundation
import JSON
import Testing

@Suite("Public keys")
struct PublicKeyTests {
  static func found(_ pem: String) -> KeyError.Found? {
    do {
      _ = try P256PublicKey(spkiPEM: pem)
      return nil
    } catch {
      return error.found
    }
  }

  @Test("Of Wycheproof's 612 public PEMs the canonical ones are accepted, and no other (SEC-K5)")
  func wycheproofPEMs() throws {
    let tests = try #require(try Vectors.json("wycheproof/ecdh_secp256r1_public_pems.json")["tests"]?.array)
    #expect(tests.count == 612)
    #expect(tests.count { $0.object?["canonical"] == .bool(true) } == 330)
    for test in tests.compactMap(\.object) {
      let isAccepted = try Self.found(test.text("public")) == nil
      #expect(test["canonical"] == .bool(isAccepted), "\(test["tcId"] ?? .null) \(test["comment"] ?? .null)")
    }
  }

  @Test("NIST's points are judged as published, on both curves")
  func nistPoints() throws {
    let all = try Vectors.nist("PKV.P-256").filter { $0["Qx"] != nil }
    #expect(all.count == 12)
    for record in all {
      let key = try? P256PublicKey(x963: [4] + record.number("Qx") + record.number("Qy"))
      #expect((key != nil) == (record["Result"]?.hasPrefix("P")))
    }
    let others = try Vectors.nist("PKV.P-384").filter { $0["Qx"] != nil }
    #expect(others.count == 12)
    for record in others {
      #expect((try? P256PublicKey(x963: [4] + record.number("Qx") + record.number("Qy"))) == nil)
    }
  }

  @Test("The canonical PEM is accepted with LF and CRLF, with and without a last newline (SEC-K1)")
  func canonicalPEM() throws {
    let key = P256PrivateKey().publicKey
    let pem = key.spkiPEM
    let oneLine = "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(key.spki))\n-----END PUBLIC KEY-----"
    for text in [
      pem, String(pem.dropLast()), pem.replacingOccurrences(of: "\n", with: "\r\n"), pem + "\n\n", "\n \(pem)", oneLine,
    ] {
      #expect(try P256PublicKey(spkiPEM: text) == key)
    }
    #expect(key.spki.count == 91)
    #expect(try P256PublicKey(spki: key.spki) == key)
    #expect(try P256PublicKey(x963: key.x963) == key)
    #expect(key.fingerprint == Hex.encode(SHA256.hash(key.spki)))
  }

  @Test("The PEM that is written is the one that openssl writes")
  func samePEM() throws {
    let pem = try OpenSSLCommand.privateKey(curve: "P-256")
    let key = try P256PrivateKey(pkcs8PEM: pem)
    #expect(key.pkcs8PEM == pem)
    #expect(key.publicKey.spkiPEM == (try OpenSSLCommand.publicKey(of: pem)))
  }

  @Test("A private key is refused with a warning, whatever its form and wherever it stands (SEC-K2, SEC-K3)")
  func privateKeys() throws {
    let pkcs8 = try OpenSSLCommand.privateKey(curve: "P-256")
    let pem = try P256PrivateKey(pkcs8PEM: pkcs8).publicKey.spkiPEM
    let file = ["key.pem": Array(pkcs8.utf8)]
    let sec1 = try OpenSSLCommand.run(["ec", "-in", "key.pem"], files: file)
    let encrypted = try OpenSSLCommand.run(
      ["pkcs8", "-topk8", "-in", "key.pem", "-passout", "pass:x"], files: file)
    let traditional = try OpenSSLCommand.run(
      ["ec", "-in", "key.pem", "-aes128", "-passout", "pass:x"], files: file)
    let rsa = try OpenSSLCommand.run(["genrsa", "2048"])
    let rsaTraditional = try OpenSSLCommand.run(["genrsa", "-traditional", "2048"])
    let ed25519 = try OpenSSLCommand.run(["genpkey", "-algorithm", "ED25519"])
    let parameters = try OpenSSLCommand.run(["ecparam", "-name", "prime256v1"]) + sec1
    let bare = pkcs8.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined(separator: "\n")
    let texts = [
      pkcs8, sec1, encrypted, traditional, rsa, rsaTraditional, ed25519, parameters, bare, pem + pkcs8, pkcs8 + pem,
      pem + "\0" + pkcs8, "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
      #"{"kty":"EC","crv":"P-256","x":"eA","y":"eQ", "d" : "ZA"}"#,
    ]
    for text in texts {
      let error = #expect(throws: KeyError.self) { try P256PublicKey(spkiPEM: text) }
      #expect(error?.isExposedPrivateKey == true, "\(text.prefix(40))")
      #expect(error?.message.contains("treat it as compromised") == true)
    }
  }

  @Test("Keys of other kinds are refused by name (SEC-K4)")
  func otherKinds() throws {
    let rsa = try OpenSSLCommand.publicKey(of: OpenSSLCommand.run(["genrsa", "2048"]))
    let ed25519 = try OpenSSLCommand.publicKey(of: OpenSSLCommand.run(["genpkey", "-algorithm", "ED25519"]))
    #expect(Self.found(rsa) == .otherAlgorithm)
    #expect(Self.found(ed25519) == .otherAlgorithm)
    for curve in ["P-384", "P-521", "secp256k1", "brainpoolP256r1"] {
      let key = try OpenSSLCommand.publicKey(of: OpenSSLCommand.privateKey(curve: curve))
      #expect(Self.found(key) == .otherCurve, "\(curve)")
    }
    let pair = try OpenSSLCommand.privateKey(curve: "P-256")
    #expect(Self.found(try OpenSSLCommand.publicKey(of: pair, "-ec_conv_form", "compressed")) == .compressedPoint)
    #expect(Self.found(try OpenSSLCommand.publicKey(of: pair, "-ec_conv_form", "hybrid")) == .compressedPoint)
    let explicit = try OpenSSLCommand.privateKey(curve: "P-256", parameters: "explicit")
    #expect(Self.found(try OpenSSLCommand.publicKey(of: explicit)) == .explicitParameters)
    #expect(Self.found(try Vectors.text("pyca-x509/ecdsa_root.pem")) == .certificate)
    #expect(Self.found(try Vectors.text("pyca-x509/cryptography.io.old_header.pem")) == .certificate)
    let request = "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"
    #expect(Self.found(request) == .certificateRequest)
    #expect(Self.found(#"{"kty":"EC","crv":"P-256","x":"eA","y":"eQ","kid":"d"}"#) == .jsonWebKey)
  }

  @Test("PEM that is damaged or has company is refused (SEC-K3, SEC-K5, SEC-K6)")
  func damagedPEM() throws {
    let key = P256PrivateKey().publicKey
    let pem = key.spkiPEM
    let body = Base64.encode(key.spki)
    func frame(_ body: String) -> String { "-----BEGIN PUBLIC KEY-----\n\(body)\n-----END PUBLIC KEY-----\n" }
    let cases: [(String, KeyError.Found)] = [
      ("", .nothing), (" \r\n", .nothing), ("hello", .notPEM), (body, .notPEM),
      ("text\n" + pem, .textAround), (pem + "text\n", .textAround), (pem + pem, .severalBlocks),
      (frame(""), .malformed), (frame("Comment: x\n\n" + body), .malformed), (frame(body + " "), .malformed),
      (frame(String(body.dropLast(4))), .malformed), (frame(Base64.encode(key.spki + [0, 0])), .malformed),
      (frame(Base64.encode([0x30, 0x81, 0x59] + key.spki.dropFirst(2))), .malformed),
      (frame(Base64.encode(key.spki.dropLast(64) + [UInt8](repeating: 0, count: 64))), .pointNotOnCurve),
      (frame("Proc-Type: 4,ENCRYPTED\n\n" + body), .encryptedPrivateKey),
      (pem.replacingOccurrences(of: "PUBLIC", with: "EC PUBLIC"), .unknownBlock),
      (String(pem.dropLast(26)), .malformed), (pem.replacingOccurrences(of: "\n", with: ""), .malformed),
      (String(repeating: "A", count: 1_000_000), .tooLarge), (String(repeating: pem, count: 10_000), .tooLarge),
      ("-----BEGIN PUBLIC KEY-----\n" + String(repeating: "A", count: 2000), .tooLarge), ("\0", .nothing),
      ("a\0b", .keyArchive), (pem + "\0", .textAround),
    ]
    for (text, expected) in cases {
      let found = Self.found(text)
      #expect(found == expected, "\(text.prefix(60))")
    }
  }

  @Test("A text of exactly the limit is read, one byte more isn't")
  func sizeLimit() {
    let pem = P256PrivateKey().publicKey.spkiPEM
    let padding = String(repeating: "\n", count: P256PublicKey.pemLimit - pem.utf8.count)
    #expect(Self.found(pem + padding) == nil)
    #expect(Self.found(pem + padding + "\n") == .tooLarge)
  }

  @Test("Wrong bytes in place of an SPKI or a point are refused")
  func rawForms() throws {
    let key = P256PrivateKey().publicKey
    #expect(throws: KeyError.self) { try P256PublicKey(spki: []) }
    #expect(throws: KeyError.self) { try P256PublicKey(spki: key.spki + [0]) }
    #expect(throws: KeyError(found: .wrongLength, expected: .publicKey)) { try P256PublicKey(x963: []) }
    #expect(throws: KeyError(found: .wrongLength, expected: .publicKey)) { try P256PublicKey(x963: [0]) }
    #expect(throws: KeyError(found: .compressedPoint, expected: .publicKey)) {
      try P256PublicKey(x963: [6] + key.x963.dropFirst())
    }
    #expect(throws: KeyError(found: .pointNotOnCurve, expected: .publicKey)) {
      try P256PublicKey(x963: key.x963.dropLast() + [key.x963[64] ^ 1])
    }
  }
}
