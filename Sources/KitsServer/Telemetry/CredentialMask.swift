/// The last line of defence for K33: should a credential slip into a log field, its bytes don't reach the log.
///
/// Code never logs credentials on purpose; this catches the library message that quotes its input.
enum CredentialMask {
  /// What every credential of this system starts with.
  private static let markers = ["kits_sk_", "kits_dt_", "kits_rt_", "kitid1", "Bearer ", "eyJ"]

  static func masked(_ text: String) -> String {
    if text.contains("PRIVATE KEY") { return "<redacted>" }
    var result = text
    for marker in markers where result.contains(marker) {
      result = mask(marker, in: result)
    }
    return result.contains("://") ? maskPassword(in: result) : result
  }

  /// Replaces the rest of the word after each marker.
  private static func mask(_ marker: String, in text: String) -> String {
    let parts = text.split(separator: marker, omittingEmptySubsequences: false)
    return parts.enumerated().map { index, part in
      index == 0 ? String(part) : marker + "<redacted>" + part.drop(while: isWord)
    }.joined()
  }

  private static func isWord(_ character: Character) -> Bool {
    !character.isWhitespace && !"\"',;)]}>".contains(character)
  }

  /// `scheme://user:password@host` keeps the user and the host.
  private static func maskPassword(in text: String) -> String {
    let parts = text.split(separator: "://", omittingEmptySubsequences: false)
    return parts.enumerated().map { index, part in
      guard index > 0 else { return String(part) }
      let authority = part.prefix { isWord($0) && $0 != "/" && $0 != "?" }
      guard let at = authority.lastIndex(of: "@") else { return "://" + part }
      let user = authority[..<at].prefix { $0 != ":" }
      return "://\(user):<redacted>" + part[at...]
    }.joined()
  }
}
