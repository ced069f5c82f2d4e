extension LanguageTag {
  /// The usual spelling (RFC 5646 section 2.1.1): `zh-hant-tw` is written `zh-Hant-TW`. Subtags of two letters are
  /// upper case and those of four are capitalised, unless they come first or behind a singleton.
  package var usualSpelling: String {
    var behindSingleton = false
    var parts: [String] = []
    for (index, part) in text.split(separator: "-").enumerated() {
      if index > 0, !behindSingleton, part.utf8.count == 2 {
        parts.append(part.uppercased())
      } else if index > 0, !behindSingleton, part.utf8.count == 4 {
        parts.append(part.prefix(1).uppercased() + part.dropFirst())
      } else {
        parts.append(String(part))
      }
      if part.utf8.count == 1 { behindSingleton = true }
    }
    return parts.joined(separator: "-")
  }
}
