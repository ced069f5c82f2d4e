import Crypto
import Foundation
import Testing

@Suite("Hashes, derived keys and sealing")
struct PrimitiveTests {
  @Test("SHA-256 gives FIPS 180's examples, in one piece and in chunks")
  func sha256() {
    #expect(Hex.encode(SHA256.hash([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(Hex.encode(SHA256.hash(Array("abc".utf8))) == abc)
    #expect(Hex.encode(SHA256.hash(chunks: [[], [0x61], [0x62, 0x63], []])) == abc)
    let million = [UInt8](repeating: 0x61, count: 1_000_000)
    #expect(Hex.encode(SHA256.hash(million)) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test(
    "HKDF gives RFC 5869's examples",
    arguments: [
      (
        String(repeating: "0b", count: 22), "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
      ),
      (
        String(repeating: "0b", count: 22), "", "",
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
      ),
    ])
  func hkdf(_ secret: String, _ salt: String, _ info: String, _ output: String) throws {
    let key = try HKDF.derive(
      secret: #require(Hex.decode(secret)), salt: #require(Hex.decode(salt)), info: #require(Hex.decode(info)),
      count: 42)
    #expect(Hex.encode(key) == output)
  }

  @Test("HKDF agrees with the openssl program over several blocks")
  func hkdfLong() throws {
    let text = try OpenSSLCommand.run([
      "kdf", "-keylen", "100", "-kdfopt", "digest:SHA256", "-kdfopt", "hexkey:010203", "-kdfopt", "hexsalt:0405",
      "-kdfopt", "hexinfo:06", "HKDF",
    ])
    let expected = text.lowercased().filter(\.isHexDigit)
    let key = try HKDF.derive(secret: [1, 2, 3], salt: [4, 5], info: [6], count: 100)
    #expect(Hex.encode(key) == expected)
  }

  @Test("HKDF refuses the empty secret and more output than it has")
  func hkdfLimits() throws {
    #expect(throws: CryptoError.emptyKey) { try HKDF.derive(secret: [], info: [], count: 32) }
    #expect(throws: CryptoError.outputLength) { try HKDF.derive(secret: [1], info: [], count: 0) }
    #expect(throws: CryptoError.outputLength) { try HKDF.derive(secret: [1], info: [], count: 8161) }
    #expect(try HKDF.derive(secret: [1], info: [], count: 8160).count == 8160)
  }

  @Test("What was sealed is opened, with every length of text", arguments: [0, 1, 15, 16, 17, 1000])
  func sealing(_ count: Int) throws {
    let key = SystemRandom.bytes(32)
    let plaintext = SystemRandom.bytes(count)
    let sealed = try AESGCM.seal(plaintext, key: key, associatedData: [1, 2])
    #expect(sealed.count == count + 28)
    #expect(try AESGCM.open(sealed, key: key, associatedData: [1, 2]) == plaintext)
    #expect(try AESGCM.seal(plaintext, key: key, associatedData: [1, 2]) != sealed)
  }

  @Test("Any change of one bit, of the associated data, of the key or of the length is refused")
  func tampering() throws {
    let key = SystemRandom.bytes(32)
    let sealed = try AESGCM.seal(Array("a secret".utf8), key: key, associatedData: [1, 2])
    for bit in 0..<sealed.count * 8 {
      var changed = sealed
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: CryptoError.authenticationFailed) { try AESGCM.open(changed, key: key, associatedData: [1, 2]) }
    }
    for count in 0..<sealed.count {
      #expect(throws: CryptoError.authenticationFailed) {
        try AESGCM.open(Array(sealed.prefix(count)), key: key, associatedData: [1, 2])
      }
    }
    for data in [[], [1], [1, 3], [1, 2, 0]] as [[UInt8]] {
      #expect(throws: CryptoError.authenticationFailed) { try AESGCM.open(sealed, key: key, associatedData: data) }
    }
    let otherKey = SystemRandom.bytes(32)
    #expect(throws: CryptoError.authenticationFailed) {
      try AESGCM.open(sealed, key: otherKey, associatedData: [1, 2])
    }
    #expect(throws: CryptoError.authenticationFailed) {
      try AESGCM.open(sealed + [0], key: key, associatedData: [1, 2])
    }
  }

  @Test("A published AES-256-GCM example is opened")
  func publishedExample() throws {
    // Test case 16 of the GCM specification by McGrew and Viega.
    let key = try #require(Hex.decode("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
    let sealed = try #require(
      Hex.decode(
        "cafebabefacedbaddecaf888"
          + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e63"
          + "93ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b"))
    let data = try #require(Hex.decode("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
    let plaintext = try AESGCM.open(sealed, key: key, associatedData: data)
    #expect(Hex.encode(plaintext).hasPrefix("d9313225f88406e5a55909c5aff5269a"))
    #expect(plaintext.count == 60)
  }

  @Test("Keys of any other length are refused", arguments: [0, 16, 24, 31, 33])
  func keyLengths(_ count: Int) {
    let key = [UInt8](repeating: 1, count: count)
    #expect(throws: CryptoError.keyLength(expected: 32)) { try AESGCM.seal([1], key: key, associatedData: []) }
    #expect(throws: CryptoError.keyLength(expected: 32)) { try AESGCM.open([1], key: key, associatedData: []) }
  }

  @Test("Random bytes have the asked length and differ")
  func random() {
    #expect(SystemRandom.bytes(0) == [])
    #expect(SystemRandom.bytes(7).count == 7)
    #expect(Set((0..<1000).map { _ in SystemRandom.bytes(16) }).count == 1000)
    #expect(Set((0..<1000).map { _ in SystemRandom.uint64() }).count == 1000)
  }
}
