import Crypto
import Foundation
import KitsCore
import Testing

@testable import KitsAPI

/// T1
struct CredentialTests {
  private static let id = InstallationID(UUIDv7.make(now: 1_790_000_000_000))
  private static let token = DeviceToken(
    app: AppNumber(7), installation: InstallationNumber(.max - 3), id: id, platform: .android, generation: 9,
    keyID: "k1")

  @Test("A minted device token verifies and carries what it was made from")
  func roundTrip() throws {
    let ring = try TestKeys.ring()
    let text = try Self.token.minted(by: ring)
    #expect(text.hasPrefix("kits_dt_"))
    #expect(text.utf8.count <= 512)
    #expect(DeviceToken(text, ring: ring) == Self.token)
  }

  @Test("A device token with any bit changed never verifies")
  func everyBit() throws {
    let ring = try TestKeys.ring()
    let text = try Self.token.minted(by: ring)
    let bytes = try #require(Base64URL.decode(String(text.dropFirst(8))))
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(DeviceToken("kits_dt_" + Base64URL.encode(changed), ring: ring) == nil, "bit \(bit)")
    }
  }

  @Test("A device token that is shortened, lengthened or respelled never verifies")
  func otherTexts() throws {
    let ring = try TestKeys.ring()
    let text = try Self.token.minted(by: ring)
    for count in 0..<text.count { #expect(DeviceToken(String(text.prefix(count)), ring: ring) == nil) }
    for other in [text + "A", text + "=", " " + text, text + " ", text + "\n", text.uppercased()] {
      #expect(DeviceToken(other, ring: ring) == nil)
    }
    #expect(DeviceToken(text + String(repeating: "A", count: 600), ring: ring) == nil)
  }

  @Test("A device token of a key that is not in the ring never verifies, one of a retiring key does")
  func rotation() throws {
    let text = try Self.token.minted(by: TestKeys.ring(["k1"], minting: "k1"))
    #expect(try DeviceToken(text, ring: TestKeys.ring(["k2"], minting: "k2")) == nil)
    let both = try TestKeys.ring(["k1", "k2"], minting: "k2")
    #expect(DeviceToken(text, ring: both)?.keyID == "k1")
    let fresh = try Self.token.minted(by: both)
    #expect(DeviceToken(fresh, ring: both)?.keyID == "k2")
    let impostor = try KeyRing(
      masterKeys: [(id: "k1", secret: SHA256.hash(Array("other".utf8)))], mintingID: "k1")
    #expect(DeviceToken(text, ring: impostor) == nil)
  }

  @Test("A MAC made for another purpose never verifies", arguments: KeyRing.Purpose.allCases)
  func otherPurpose(_ purpose: KeyRing.Purpose) throws {
    let ring = try TestKeys.ring()
    let text = try Self.token.minted(by: ring)
    let payload = Array(try #require(Base64URL.decode(String(text.dropFirst(8)))).dropLast(16))
    let key = try #require(ring.key(purpose, id: "k1"))
    let mac = try HMACSHA256.authenticate(payload, key: key).prefix(16)
    let forged = "kits_dt_" + Base64URL.encode(payload + mac)
    #expect((DeviceToken(forged, ring: ring) != nil) == (purpose == .deviceToken))
  }

  @Test("Keys are made in their form, never twice, and verify")
  func generating() {
    let publicKeys = Set((0..<100).map { _ in PublicKey.generate().text })
    #expect(publicKeys.count == 100)
    #expect(publicKeys.allSatisfy { $0.wholeMatch(of: /kits_pk_[0-9A-Za-z]{28}/) != nil && PublicKey($0) != nil })
    let secrets = Set((0..<100).map { _ in ServerKeySecret.generate().text })
    #expect(secrets.count == 100)
    #expect(secrets.allSatisfy { $0.wholeMatch(of: /kits_sk_[0-9A-Za-z]{49}/) != nil && ServerKeySecret($0) != nil })
  }

  @Test("A key with any character changed is refused without the database", arguments: ["kits_pk_", "kits_sk_"])
  func typos(_ prefix: String) {
    let text = prefix == "kits_pk_" ? PublicKey.generate().text : ServerKeySecret.generate().text
    func isValid(_ text: String) -> Bool {
      prefix == "kits_pk_" ? PublicKey(text) != nil : ServerKeySecret(text) != nil
    }
    #expect(isValid(text))
    for index in text.indices {
      var typo = text
      typo.replaceSubrange(index...index, with: text[index] == "x" ? "y" : "x")
      #expect(!isValid(typo))
    }
    for other in ["", prefix, String(text.dropLast()), text + "0", text + " ", text.uppercased(), "é" + text] {
      #expect(!isValid(other))
    }
    #expect(!isValid((prefix == "kits_pk_" ? "kits_sk_" : "kits_pk_") + text.dropFirst(8)))
  }

  @Test("A server key is never printed; its hash and last four characters are its own")
  func redaction() {
    let key = ServerKeySecret.generate()
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), String(describing: Optional(key)), dumped] {
      #expect(!text.contains(key.text))
    }
    #expect(key.hash == SHA256.hash(Array(key.text.utf8)))
    #expect(key.text.hasSuffix(key.lastFour) && key.lastFour.count == 4)
  }
}
