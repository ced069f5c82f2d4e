/// Standard Base64 (RFC 4648 section 4): padded, and one text per value.
package enum Base64 {
  private static let alphabet = Base64Alphabet(last: "+/")

  /// With padding.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text = alphabet.encode(bytes)
    while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes, or nil for missing or surplus padding, white space, any foreign character, or bits left over.
  package static func decode(_ text: String) -> [UInt8]? {
    decode(Array(text.utf8))
  }

  static func decode(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    return alphabet.decode(text.dropLast(padding))
  }
}
