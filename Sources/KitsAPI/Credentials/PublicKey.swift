/// `kits_pk_…`: which app an SDK belongs to. Every copy of the app holds it, so it is no secret.
package struct PublicKey: Sendable, Hashable {
  package let text: String

  /// 22 characters are 131 bits: nobody comes across another app's key by chance.
  private static let form = CheckedText(prefix: "kits_pk_", randomCharacters: 22)

  /// nil unless the text has the form and its checksum.
  package init?(_ text: String) {
    guard Self.form.matches(text) else { return nil }
    self.text = text
  }

  private init(generated text: String) {
    self.text = text
  }

  package static func generate() -> PublicKey { PublicKey(generated: form.generate()) }
}

extension PublicKey: CustomStringConvertible {
  package var description: String { text }
}
