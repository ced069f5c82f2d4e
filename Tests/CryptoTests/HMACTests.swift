import Crypto
import JSON
import Testing

@Suite("HMAC-SHA256")
struct HMACTests {
  @Test("Wycheproof's 174 MACs are judged as published, and no shortened one verifies")
  func wycheproof() throws {
    let all = try Vectors.wycheproof("hmac_sha256_test")
    #expect(all.count == 174)
    #expect(all.count { $0.test.isValid } == 66)
    for (group, test) in all {
      let key = try test.hex("key")
      let message = try test.hex("msg")
      let tag = try test.hex("tag")
      let mac = try HMACSHA256.authenticate(message, key: key)
      #expect((Array(mac.prefix(tag.count)) == tag) == test.isValid, "\(test["tcId"] ?? .null)")
      let isWhole = group["tagSize"] == .integer(256)
      #expect(HMACSHA256.verify(tag, message: message, key: key) == (isWhole && test.isValid))
    }
  }

  @Test("RFC 4231's MACs are computed")
  func rfc4231() throws {
    let all = try Vectors.records("rfc-4231/rfc-4231-sha256.txt").filter { $0["MD"] != nil }
    #expect(all.count == 6)
    for record in all {
      let key = try #require(Hex.decode(record["Key"] ?? ""))
      let message = try #require(Hex.decode(record["Msg"] ?? ""))
      #expect(Hex.encode(try HMACSHA256.authenticate(message, key: key)) == record["MD"])
    }
  }

  @Test("Published webhook examples are computed")
  func webhooks() throws {
    let examples = try #require(
      try Vectors.json("published-signature-examples/hmac-sha256-examples.json")["examples"]?.array)
    #expect(examples.count == 2)
    let gitHub = try #require(examples[0].object)
    let first = try HMACSHA256.authenticate(
      Array(gitHub.text("message").utf8), key: Array(gitHub.text("secret").utf8))
    #expect(first == (try gitHub.hex("signature_hex")))
    let standard = try #require(examples[1].object)
    let secret = try #require(Base64.decode(try standard.text("secret_base64")))
    let second = try HMACSHA256.authenticate(Array(standard.text("message").utf8), key: secret)
    #expect(Base64.encode(second) == (try standard.text("signature_base64")))
  }

  @Test("The empty key neither signs nor verifies (SEC-H15)")
  func emptyKey() throws {
    #expect(throws: CryptoError.emptyKey) { try HMACSHA256.authenticate([1], key: []) }
    #expect(throws: CryptoError.emptyKey) { try HMACKey([]) }
    // The MAC that HMAC gives with an empty key, which equals the one with a key of zeros.
    let zeros = try HMACSHA256.authenticate([1], key: [UInt8](repeating: 0, count: 64))
    #expect(!HMACSHA256.verify(zeros, message: [1], key: []))
    #expect(!HMACSHA256.verify([], message: [1], key: []))
  }

  @Test("Only the whole MAC verifies (SEC-H4)", arguments: [0, 1, 8, 31, 33, 64])
  func partialMAC(_ count: Int) throws {
    let mac = try HMACSHA256.authenticate([1, 2], key: [9])
    #expect(HMACSHA256.verify(mac, message: [1, 2], key: [9]))
    #expect(!HMACSHA256.verify(Array((mac + mac).prefix(count)), message: [1, 2], key: [9]))
  }

  @Test("A key that is kept gives the same MACs, on many tasks at once")
  func keptKey() async throws {
    let key = try HMACKey(Array("kept".utf8))
    let right = await withTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          (0..<200).count { round in
            let message = Array("\(task)/\(round)".utf8)
            let mac = try? HMACSHA256.authenticate(message, key: Array("kept".utf8))
            return key.authenticate(message) == mac && key.verify(mac ?? [], message: message)
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(right == 1600)
  }

  @Test("Constant-time comparison tells equal from different")
  func comparison() {
    #expect(ConstantTime.equal([], []))
    #expect(ConstantTime.equal([1, 2], [1, 2]))
    #expect(!ConstantTime.equal([1, 2], [1, 3]))
    #expect(!ConstantTime.equal([1, 2], [1]))
    #expect(!ConstantTime.equal([], [0]))
  }
}
