/// The beginning of what a payload carries under a MAC: the version of the layout, and which master key made it. Its
/// width is fixed, so that what is reserved in a payload when a message is created is what it takes when it is sent.
package struct MarkHeader: Hashable, Sendable {
  package let keyID: String

  /// 128 bits: 2^127 guesses, and each costs a request.
  package static let macBytes = 16
  package static let keyIDBytes = 8
  package static let byteCount = 1 + keyIDBytes

  private static let version: UInt8 = 1

  /// Nil for ids that don't fit; the configuration takes none.
  package init?(keyID: String) {
    guard (1...Self.keyIDBytes).contains(keyID.utf8.count), !keyID.utf8.contains(0) else { return nil }
    self.keyID = keyID
  }

  /// Reads what `bytes` wrote: the id is padded with zeros.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count >= Self.byteCount, bytes.first == Self.version else { return nil }
    let field = bytes.dropFirst().prefix(Self.keyIDBytes)
    let id = field.prefix { $0 != 0 }
    guard field.dropFirst(id.count).allSatisfy({ $0 == 0 }), let text = String(validating: id, as: UTF8.self) else {
      return nil
    }
    self.init(keyID: text)
  }

  package var bytes: [UInt8] {
    var bytes = [Self.version]
    bytes += keyID.utf8
    bytes.append(contentsOf: repeatElement(0, count: Self.byteCount - bytes.count))
    return bytes
  }
}
