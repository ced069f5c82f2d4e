internal import Crypto

/// `kits_sk_…`: the credential of a customer's backend. Shown once, when it is made; kept as a hash and its end.
package struct ServerKeySecret: Sendable {
  /// The whole key. Only ever for the person who asked for it.
  package let text: String

  package static let prefix = "kits_sk_"
  private static let lastCharacters = 4
  /// 43 characters are 256 bits.
  private static let form = CheckedText(prefix: prefix, randomCharacters: 43)

  /// nil unless the text has the form and its checksum.
  package init?(_ text: String) {
    guard Self.form.matches(text) else { return nil }
    self.text = text
  }

  private init(generated text: String) {
    self.text = text
  }

  package static func generate() -> ServerKeySecret { ServerKeySecret(generated: form.generate()) }

  /// SHA-256 of the whole key. No salt and no slow hash: there are 256 random bits to guess.
  package var hash: [UInt8] { SHA256.hash(Array(text.utf8)) }

  /// Enough to tell two keys apart in a list.
  package var lastFour: String { String(text.suffix(Self.lastCharacters)) }
}

extension ServerKeySecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the key.
  package var description: String { "<redacted>" }
  /// Never the key.
  package var debugDescription: String { "<redacted>" }
  /// Never the key.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
