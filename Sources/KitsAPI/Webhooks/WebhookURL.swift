internal import KitsCore

/// Where events may be sent, as far as the text tells: a name of the public DNS over https. What the name resolves to
/// is looked at again before each connection; this only keeps obvious mistakes and tricks out of the table.
enum WebhookURL {
  /// What is wrong; nil when nothing is.
  ///
  /// - Parameter allowsPrivate: for development: http, addresses and local names too.
  static func fault(_ text: String, allowsPrivate: Bool) -> String? {
    guard let uri = URIReference(text), let authority = uri.authority, authority.namesServer else {
      return "It must be an absolute URL with a host."
    }
    guard uri.scheme == "https" || (allowsPrivate && uri.scheme == "http") else { return "It must be https." }
    guard authority.userInfo == nil else { return "It must not have a user name or password." }
    guard !text.utf8.contains(UInt8(ascii: "#")) else { return "It must not have a fragment." }
    if allowsPrivate { return nil }
    guard isPublicName(authority.host) else {
      return "Its host must be a public name: no address, and nothing local."
    }
    guard isPort(authority.port) else { return "Its port must be 443, or 1024 or higher." }
    return nil
  }

  /// Endings that never are in the public DNS (RFC 6761, RFC 6762, RFC 8375, RFC 9476).
  private static let localNames: Set<String> = [
    "localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "test", "example", "invalid",
    "onion", "alt", "arpa",
  ]

  /// Two labels or more, of letters, digits and inner hyphens; the last one starts with a letter, so that no reader of
  /// addresses takes the whole for a number in one of its spellings.
  private static func isPublicName(_ host: String) -> Bool {
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    let labels = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2, let last = labels.last, let first = last.utf8.first else { return false }
    guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first), !localNames.contains(String(last)) else {
      return false
    }
    return labels.allSatisfy { label in
      !label.hasPrefix("-") && !label.hasSuffix("-")
        && label.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") }
    }
  }

  private static func isPort(_ text: String?) -> Bool {
    guard let text, !text.isEmpty else { return true }
    guard let port = Int(text) else { return false }
    return port == 443 || (1_024...65_535).contains(port)
  }
}
