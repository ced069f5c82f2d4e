/// A well-formed BCP 47 language tag in lower case (RFC 5646 section 2.1, without the irregular ones).
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
    guard Self.isWellFormed(lower) else { return nil }
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

  private static func isWellFormed(_ bytes: [UInt8]) -> Bool {
    let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard let first = parts.first else { return false }
    let isPrivate = first.elementsEqual("x".utf8)
    guard isPrivate ? parts.count > 1 : (2...8).contains(first.count) && first.allSatisfy(isLetter) else {
      return false
    }
    for part in parts.dropFirst() {
      guard (1...8).contains(part.count), part.allSatisfy({ isLetter($0) || isDigit($0) }) else { return false }
    }
    return singletonsHaveSubtags(parts)
  }

  /// A singleton announces something longer; behind `x`, anything goes.
  private static func singletonsHaveSubtags(_ parts: [ArraySlice<UInt8>]) -> Bool {
    let end = parts.firstIndex { $0.elementsEqual("x".utf8) } ?? parts.endIndex
    guard end != parts.count - 1 else { return false }
    return parts.indices.prefix(end).dropFirst().allSatisfy { index in
      parts[index].count > 1 || (index + 1 < end && parts[index + 1].count > 1)
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
