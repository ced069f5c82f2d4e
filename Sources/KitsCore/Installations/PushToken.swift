/// A push token that has the form its platform's tokens have. Its length is not fixed: Apple says not to assume one.
package struct PushToken: Hashable, Sendable {
  package let text: String

  /// iOS: an even number of hexadecimal digits, 8 to 200, kept in lower case so that one token has one spelling.
  /// Android: 1 to 4,096 printable ASCII characters, kept as they are.
  package init?(_ raw: String, platform: Platform) {
    let bytes = Array(raw.utf8)
    switch platform {
    case .ios:
      guard Limits.iosPushTokenCharacters.contains(bytes.count), bytes.count % 2 == 0 else { return nil }
      guard bytes.allSatisfy(Self.isHexDigit) else { return nil }
      text = raw.lowercased()
    case .android:
      guard Limits.androidPushTokenCharacters.contains(bytes.count) else { return nil }
      guard bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
      text = raw
    }
  }

  /// For values that have the form by the way they were made.
  package init(trusted text: String) {
    self.text = text
  }

  /// Enough to recognise a token in a list, not enough to send to it.
  package static func suffix(of token: String) -> String { String(token.suffix(8)) }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
