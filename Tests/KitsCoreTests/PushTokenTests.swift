import KitsCore
import Testing

@Suite("Push tokens have the form of their platform (T8)")
struct PushTokenTests {
  @Test("iOS: hexadecimal, even, 8 to 200 digits, kept in lower case", arguments: [8, 64, 160, 200])
  func ios(length: Int) throws {
    let token = try #require(PushToken(String(repeating: "Ab", count: length / 2), platform: .ios))
    #expect(token.text == String(repeating: "ab", count: length / 2))
  }

  @Test(
    "What is no token is refused",
    arguments: [
      "", "ab", "abcdef0", "abcdef012", String(repeating: "a", count: 202), "ghijklmn", "abcdef 0", "abcdef0\u{0}",
      "ａｂｃｄｅｆ０１", "+bcdef01", "0xabcdef",
    ])
  func refused(text: String) {
    #expect(PushToken(text, platform: .ios) == nil)
  }

  @Test("Android: printable ASCII, 1 to 4,096 bytes, kept as it is")
  func android() {
    #expect(PushToken("fGx:APA91b-_", platform: .android)?.text == "fGx:APA91b-_")
    #expect(PushToken(String(repeating: "x", count: 4_096), platform: .android) != nil)
    for bad in ["", "a b", "ä", "a\n", String(repeating: "x", count: 4_097)] {
      #expect(PushToken(bad, platform: .android) == nil)
    }
  }
}
