/// A well-formed BCP 47 language tag in lower case (RFC 5646 section 2.1).
package struct LanguageTag: Hashable, Sendable {
  package let text: String

  /// What a device that told no language has.
  package static let undetermined = LanguageTag(trusted: "und")

  /// Accepts `_` for `-`, as Apple's and Android's locale ids have it.
  package init?(parsing raw: String) {
    guard Limits.languageBytes.contains(raw.utf8.count) else { return nil }
    let lower = raw.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte + 32
      case UInt8(ascii: "_"): UInt8(ascii: "-")
      default: byte
      }
    }
    guard LanguageTagGrammar.accepts(lower) else { return nil }
    text = String(decoding: lower, as: UTF8.self)
  }

  /// For values that this type wrote itself, e.g. a column of the database.
  package init(trusted text: String) {
    self.text = text
  }

  /// The tag and its prefixes, longest first, as RFC 4647 section 3.4 (lookup) walks them: `zh-hant-tw`, `zh-hant`,
  /// `zh`.
  package var lookupRange: [String] {
    var ranges: [String] = []
    var parts = text.split(separator: "-")
    while !parts.isEmpty {
      ranges.append(parts.joined(separator: "-"))
      parts.removeLast()
      // A single letter or digit announces what follows it, so it never ends a range.
      while let last = parts.last, last.utf8.count == 1 { parts.removeLast() }
    }
    return ranges
  }
}
