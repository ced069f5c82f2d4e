import Crypto
import Foundation
import Testing

@Suite("Base64, hex and ids")
struct TextFormTests {
  @Test(
    "RFC 4648's examples are written and read",
    arguments: [
      ("", "", ""), ("f", "Zg==", "Zg"), ("fo", "Zm8=", "Zm8"), ("foo", "Zm9v", "Zm9v"), ("foob", "Zm9vYg==", "Zm9vYg"),
      ("fooba", "Zm9vYmE=", "Zm9vYmE"), ("foobar", "Zm9vYmFy", "Zm9vYmFy"),
    ])
  func examples(_ text: String, _ padded: String, _ unpadded: String) {
    let bytes = Array(text.utf8)
    #expect(Base64.encode(bytes) == padded)
    #expect(Base64.decode(padded) == bytes)
    #expect(Base64URL.encode(bytes) == unpadded)
    #expect(Base64URL.decode(unpadded) == bytes)
  }

  @Test("Base64 agrees with Foundation's on all lengths")
  func agreement() {
    for count in 0..<200 {
      let bytes = SystemRandom.bytes(count)
      let text = Data(bytes).base64EncodedString()
      #expect(Base64.encode(bytes) == text)
      #expect(Base64.decode(text) == bytes)
      let url = text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        .replacingOccurrences(of: "=", with: "")
      #expect(Base64URL.encode(bytes) == url)
      #expect(Base64URL.decode(url) == bytes)
    }
  }

  @Test(
    "Base64url refuses what would give one value two texts (SEC-J22, SEC-J23)",
    arguments: [
      "QQ==", "QUI=", "QR", "QUJ", "Q", "QUJDR", "+A", "/A", "Q Q", "QQ\n", "\tQQ", "QQ\r\n", "Q%3D", "ＱＱ", "QQ\0", "é",
      "QQ.", "=", "====",
    ])
  func urlTraps(_ text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test(
    "Standard Base64 refuses missing, surplus and misplaced padding and bits left over",
    arguments: [
      "QQ", "QUI", "QR==", "QUJ=", "QUI==", "QUJD====", "QQ==QQ==", "Q===", "====", "=", "QQ=Q", "Q=Q=", "QUJD\n",
      "Q Q=",
      "-A==", "_A==", "QQ= =", "QUI=QUI=",
    ])
  func standardTraps(_ text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test("Each last character but one is refused when only its first bits count")
  func trailingBits() {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    #expect(alphabet.count { Base64URL.decode("A\($0)") != nil } == 4)
    #expect(alphabet.count { Base64URL.decode("AA\($0)") != nil } == 16)
    #expect(alphabet.count { Base64URL.decode("AAA\($0)") != nil } == 64)
  }

  @Test("Hex is written in lower case and read in the case that was asked for")
  func hex() {
    let bytes: [UInt8] = [0, 0x1F, 0xAB, 0xFF]
    #expect(Hex.encode(bytes) == "001fabff")
    #expect(Hex.decode("001fabff") == bytes)
    #expect(Hex.decode("001FABFF") == nil)
    #expect(Hex.decode("001FABFF", case: .upper) == bytes)
    #expect(Hex.decode("001fabff", case: .upper) == nil)
    #expect(Hex.decode("001fABff", case: .any) == bytes)
    #expect(Hex.decode("") == [])
  }

  @Test(
    "Hex refuses what Swift's own number parsing accepts (SEC-H3)",
    arguments: ["0", "+f", "-1", "0x00", "ｆｆ", "f f", "gg", "00\n", "0０", "00\0"])
  func hexTraps(_ text: String) {
    #expect(Hex.decode(text, case: .any) == nil)
  }

  @Test("Ids are version 7, carry their time and sort in the order in which they were made")
  func uuids() {
    let now: Int64 = 1_900_000_000_000
    let ids = (0..<20_000).map { UUIDv7.make(now: now + Int64($0 / 9000)) }
    let texts = ids.map { $0.uuidString.lowercased() }
    #expect(Set(texts).count == texts.count)
    #expect(texts == texts.sorted())
    for text in texts {
      #expect(Array(text.utf8)[14] == UInt8(ascii: "7"))
      #expect("89ab".utf8.contains(Array(text.utf8)[19]))
    }
    let milliseconds = texts.first.flatMap { Int64($0.replacingOccurrences(of: "-", with: "").prefix(12), radix: 16) }
    #expect(milliseconds == now)
    // A clock that was set back far gives up the order, not the time; one set back a little gives up neither.
    let earlier = UUIDv7.make(now: now - 60_000)
    #expect(earlier.uuidString < ids[0].uuidString)
    #expect(UUIDv7.make(now: now - 60_500).uuidString > earlier.uuidString)
  }
}
