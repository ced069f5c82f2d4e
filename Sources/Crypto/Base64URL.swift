/// Base64url (RFC 4648 section 5) as JOSE uses it: no padding, and one text per value.
package enum Base64URL {
  private static let alphabet = Base64Alphabet(last: "-_")

  /// Without padding.
  package static func encode(_ bytes: [UInt8]) -> String {
    String(decoding: alphabet.encode(bytes), as: UTF8.self)
  }

  /// The bytes, or nil for padding, white space, `+`, `/`, any other foreign character, or bits left over.
  package static func decode(_ text: String) -> [UInt8]? {
    alphabet.decode(text.utf8)
  }
}
