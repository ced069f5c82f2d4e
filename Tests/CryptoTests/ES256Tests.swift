import Crypto
import Foundation
import JSON
import Testing

@Suite("ES256")
struct ES256Tests {
  @Test("Wycheproof's 262 raw signatures are judged as published (SEC-J1 to SEC-J7)")
  func rawSignatures() throws {
    let all = try Vectors.wycheproof("ecdsa_secp256r1_sha256_p1363_test")
    #expect(all.count == 262)
    #expect(all.count { $0.test.isValid } == 173)
    for (group, test) in all {
      let key = try P256PublicKey(spkiPEM: group.text("publicKeyPem"))
      let verdict = try key.verify(signature: test.hex("sig"), message: test.hex("msg"))
      #expect(verdict == test.isValid, "\(test["tcId"] ?? .null) \(test["comment"] ?? .null)")
    }
  }

  @Test("Wycheproof's 484 DER signatures are judged as published")
  func derSignatures() throws {
    let all = try Vectors.wycheproof("ecdsa_secp256r1_sha256_test")
    #expect(all.count == 484)
    #expect(all.count { $0.test.isValid } == 174)
    for (group, test) in all {
      let key = try P256PublicKey(spki: group.hex("publicKeyDer"))
      let raw = try ECDSASignature.raw(fromDER: test.hex("sig"))
      let verdict = try raw.map { key.verify(signature: $0, message: try test.hex("msg")) } ?? false
      #expect(verdict == test.isValid, "\(test["tcId"] ?? .null) \(test["comment"] ?? .null)")
    }
  }

  @Test("NIST's signatures are judged as published")
  func nistSignatures() throws {
    let verification = try Vectors.nist("SigVer.P-256.SHA-256").filter { $0["Msg"] != nil }
    #expect(verification.count == 15)
    let generation = try Vectors.nist("SigGen.P-256.SHA-256").filter { $0["Msg"] != nil }
    #expect(generation.count == 15)
    for record in verification + generation {
      let key = try P256PublicKey(x963: [4] + record.number("Qx") + record.number("Qy"))
      let message = try #require(Hex.decode(record["Msg"] ?? "", case: .any))
      let verdict = try key.verify(signature: record.number("R") + record.number("S"), message: message)
      #expect(verdict == (record["Result"]?.hasPrefix("P") ?? true))
    }
  }

  @Test("The token of RFC 7515 A.3 verifies, and no other text of it does")
  func rfc7515() throws {
    let example = try Vectors.json("rfc7515-a3-es256/a3.json")
    let key = try P256PublicKey(spkiPEM: example.text("public_key_pem"))
    let parts = try example.text("compact_jws").split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    let message = Array("\(parts[0]).\(parts[1])".utf8)
    let signature = try #require(Base64URL.decode(parts[2]))
    #expect(signature == (try example.hex("signature_hex")))
    #expect(key.verify(signature: signature, message: message))
    let jwk = try #require(example["jwk_public"]?.object)
    let point = try Base64URL.decode(jwk.text("x")).flatMap { x in
      try Base64URL.decode(jwk.text("y")).map { [4] + x + $0 }
    }
    #expect(key.x963 == point)
    for bit in stride(from: 0, to: 512, by: 7) {
      var changed = signature
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!key.verify(signature: changed, message: message))
    }
    for count in [0, 1, 32, 63, 65, 70, 96, 128] {
      let other = Array((signature + signature).prefix(count))
      #expect(!key.verify(signature: other, message: message))
    }
    let der = try #require(ECDSASignature.der(fromRaw: signature))
    #expect(!key.verify(signature: der, message: message))
    #expect(!key.verify(signature: signature + [0], message: message))
    #expect(!key.verify(signature: signature, message: message + [0]))
  }

  @Test("GitHub's published example verifies")
  func gitHubExample() throws {
    let example = try Vectors.json("published-signature-examples/ecdsa-github-secret-scanning.json")
    let key = try P256PublicKey(spkiPEM: example.text("public_key_pem"))
    let der = try #require(Base64.decode(try example.text("signature_base64_der")))
    let raw = try #require(ECDSASignature.raw(fromDER: der))
    #expect(key.verify(signature: raw, message: Array(try example.text("payload_utf8").utf8)))
    #expect(ECDSASignature.der(fromRaw: raw) == der)
  }

  @Test("Two thousand signatures verify, those with leading zero bytes among them (SEC-J5)")
  func manyRounds() throws {
    var leadingZeros = 0
    var key = P256PrivateKey()
    for round in 0..<2000 {
      if round % 100 == 0 { key = P256PrivateKey() }
      let message = SystemRandom.bytes(round % 97)
      let signature = try key.sign(message)
      #expect(signature.count == 64)
      if signature[0] == 0 || signature[32] == 0 { leadingZeros += 1 }
      #expect(key.publicKey.verify(signature: signature, message: message))
      #expect(!key.publicKey.verify(signature: signature, message: message + [1]))
    }
    // One in 128 is expected; none among 2,000 would come once in six million runs.
    #expect(leadingZeros > 0)
  }

  @Test("The openssl program verifies what is signed here, and the reverse")
  func foreignProgram() throws {
    let key = try P256PrivateKey(pkcs8PEM: OpenSSLCommand.privateKey(curve: "P-256"))
    for round in 0..<8 {
      let message = Array("message \(round)".utf8)
      let der = try #require(ECDSASignature.der(fromRaw: key.sign(message)))
      let printed = try OpenSSLCommand.run(
        ["dgst", "-sha256", "-verify", "key.pem", "-signature", "signature", "message"],
        files: ["key.pem": Array(key.publicKey.spkiPEM.utf8), "signature": der, "message": message])
      #expect(printed == "Verified OK\n")
    }
  }

  @Test("Another key's signature doesn't verify (SEC-J9)")
  func otherKey() throws {
    let signature = try P256PrivateKey().sign([1, 2, 3])
    #expect(!P256PrivateKey().publicKey.verify(signature: signature, message: [1, 2, 3]))
  }

  @Test("One key signs and verifies on many tasks at once")
  func concurrentUse() async throws {
    let key = P256PrivateKey()
    let verified = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          try (0..<50).count { round in
            let message = Array("\(task)/\(round)".utf8)
            return key.publicKey.verify(signature: try key.sign(message), message: message)
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(verified == 400)
  }
}
