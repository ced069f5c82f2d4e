/// The name of a tag. ASCII without anything that a path, a filter or a spreadsheet takes for something else.
package struct TagKey: Hashable, Sendable {
  package let text: String

  package static let form = "1 to \(Limits.tagKeyBytes) of A-Z a-z 0-9 _ . -"

  package init?(_ text: String) {
    guard (1...Limits.tagKeyBytes).contains(text.utf8.count), Self.isPlain(text) else { return nil }
    self.text = text
  }

  /// Whether it has only characters that a key may have.
  package static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }
}
