/// Reads a version and builds the text that it sorts by.
struct SemverKey {
  private(set) var text = ""

  /// Before any digit, so that a version comes before one with more components, and before its own release.
  private static let preRelease = "!"
  private static let release = "/"
  /// Before any character of an identifier.
  private static let endOfIdentifier = " "
  private static let zero = "10"
  private static let lengthBase: UInt8 = 48

  /// Nil for what is no version.
  init?(_ bytes: [UInt8]) {
    let numbered = bytes.prefix { Self.isDigit($0) || $0 == UInt8(ascii: ".") }
    guard let core = Self.parts(numbered) else { return nil }
    var rest = bytes[numbered.endIndex...]
    var identifiers: [ArraySlice<UInt8>]?
    if rest.first == UInt8(ascii: "-") {
      let marked = rest.dropFirst().prefix { $0 != UInt8(ascii: "+") }
      identifiers = Self.parts(marked)
      guard let identifiers, identifiers.joined().allSatisfy(Self.isOfIdentifier) else { return nil }
      rest = rest[marked.endIndex...]
    }
    guard rest.isEmpty || Self.isBuild(rest) else { return nil }
    writeCore(core)
    text += identifiers == nil ? Self.release : Self.preRelease
    for identifier in identifiers ?? [] { write(identifier) }
  }

  private mutating func writeCore(_ parts: [ArraySlice<UInt8>]) {
    var zeros = ""
    for part in parts {
      let digits = part.drop { $0 == UInt8(ascii: "0") }
      if digits.isEmpty {
        // Counts only when something follows.
        zeros += Self.zero
      } else {
        text += zeros + Self.number(digits)
        zeros = ""
      }
    }
  }

  private mutating func write(_ identifier: ArraySlice<UInt8>) {
    if identifier.allSatisfy(Self.isDigit) {
      let digits = identifier.drop { $0 == UInt8(ascii: "0") }
      text += "1" + (digits.isEmpty ? Self.zero : Self.number(digits))
    } else {
      text += "2" + String(decoding: identifier, as: UTF8.self) + Self.endOfIdentifier
    }
  }

  /// Longer numbers are larger, so their length comes first. Versions are short: the length is one ASCII character.
  private static func number(_ digits: ArraySlice<UInt8>) -> String {
    let length = Unicode.Scalar(UInt32(lengthBase) + UInt32(digits.count)) ?? "\u{10FFFF}"
    return String(Character(length)) + String(decoding: digits, as: UTF8.self)
  }

  /// Between dots; nil when one is empty.
  private static func parts(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.contains(where: \.isEmpty) ? nil : parts
  }

  private static func isBuild(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.first == UInt8(ascii: "+")
      && bytes.dropFirst().allSatisfy { isOfIdentifier($0) || $0 == UInt8(ascii: ".") }
  }

  private static func isOfIdentifier(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"): true
    default: isDigit(byte)
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
