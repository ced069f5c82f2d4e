/// The id that a customer's own system has for a user. Kits compares it by its bytes and changes nothing about it:
/// `é` in one scalar and in two are two users, as are `K` and U+212A KELVIN SIGN, which Swift's `String` calls equal.
package struct ExternalID: Sendable {
  /// As it was given.
  package let text: String

  /// 1 to 256 bytes of UTF-8 with something visible in them: no control characters (U+0000 among them), none that
  /// reorder text or mark its byte order, not white space alone.
  package init(checking text: String) throws(Fault) {
    if let fault = Self.fault(of: text) { throw fault }
    self.text = text
  }

  /// nil when `init(checking:)` would say why not.
  package init?(_ text: String) {
    guard Self.fault(of: text) == nil else { return nil }
    self.text = text
  }

  /// Why a text can't name a user.
  package enum Fault: Error, Sendable, CaseIterable {
    case empty
    case tooLong
    case controlCharacter
    case invisibleCharacter
    case onlyWhiteSpace
  }

  private static func fault(of text: String) -> Fault? {
    let count = text.utf8.count
    if count < Limits.externalIDBytes.lowerBound { return .empty }
    if count > Limits.externalIDBytes.upperBound { return .tooLong }
    var isVisible = false
    for scalar in text.unicodeScalars {
      if isControl(scalar) { return .controlCharacter }
      if isInvisible(scalar) { return .invisibleCharacter }
      if !scalar.properties.isWhitespace { isVisible = true }
    }
    return isVisible ? nil : .onlyWhiteSpace
  }

  /// C0, DEL and C1.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  /// The byte order mark and the marks of direction, which make two ids look alike on any screen.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}

extension ExternalID: Hashable {
  /// The same bytes.
  package static func == (a: ExternalID, b: ExternalID) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

extension ExternalID.Fault {
  /// What kind of fault that is in a field of a request.
  package var fieldCode: KitsError.FieldCode {
    switch self {
    case .empty: .tooShort
    case .tooLong: .tooLong
    case .controlCharacter, .invisibleCharacter, .onlyWhiteSpace: .badFormat
    }
  }

  /// A sentence that doesn't repeat the id.
  package var detail: String {
    switch self {
    case .empty: "It must not be empty."
    case .tooLong: "It must have at most \(Limits.externalIDBytes.upperBound) bytes of UTF-8."
    case .controlCharacter: "It must not contain control characters."
    case .invisibleCharacter: "It must not contain a byte order mark or marks of text direction."
    case .onlyWhiteSpace: "It must not be white space alone."
    }
  }
}
