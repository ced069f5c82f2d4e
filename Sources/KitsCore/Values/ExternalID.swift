/// A customer's own id of a user: 1 to 256 bytes of UTF-8 without control characters, compared as bytes.
package struct ExternalID: Sendable {
  package let text: String

  /// Nil when it breaks a rule.
  package init?(_ text: String) {
    guard Limits.externalIDBytes.contains(text.utf8.count),
      !text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
    else { return nil }
    self.text = text
  }
}

/// `String` calls texts equal that are canonically equivalent; two users may be called so.
extension ExternalID: Hashable {
  package static func == (left: Self, right: Self) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    hasher.combine(0xFF as UInt8)
  }
}
