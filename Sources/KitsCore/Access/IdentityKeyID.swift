/// The customer's name for an identity key, the `kid` of its tokens: part of paths as it is.
package struct IdentityKeyID: Hashable, Sendable {
  package let text: String

  /// What credentials start with: one that was pasted here must not become a name that lists and logs show.
  private static let reservedPrefix = "kits_"

  /// Letters, digits, `.`, `_` and `-`; but not the two that mean a place in a path, nor what looks like a credential.
  package init?(_ text: String) {
    guard Limits.identityKeyIDBytes.contains(text.utf8.count), text != ".", text != "..",
      !text.utf8.starts(with: Self.reservedPrefix.utf8),
      text.utf8.allSatisfy(Self.isAllowed)
    else { return nil }
    self.text = text
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

extension IdentityKeyID: CustomStringConvertible {
  package var description: String { text }
}
