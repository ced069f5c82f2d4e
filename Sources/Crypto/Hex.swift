/// Hexadecimal text, two digits per byte.
package enum Hex {
  /// Which letters are digits. One spelling per value matters where texts are compared.
  package enum Case: Sendable {
    case lower
    case upper
    case any
  }

  /// Lower-case text.
  package static func encode(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { text in
      for (index, byte) in bytes.enumerated() {
        text[index * 2] = digit(byte >> 4)
        text[index * 2 + 1] = digit(byte & 15)
      }
      return bytes.count * 2
    }
  }

  /// The bytes, or nil for an odd number of digits or anything that isn't an ASCII digit of that case.
  package static func decode(_ text: String, case rule: Case = .lower) -> [UInt8]? {
    guard text.utf8.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    for character in text.utf8 {
      guard let digit = value(character, rule) else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return bytes
  }

  private static func digit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
  }

  private static func value(_ character: UInt8, _ rule: Case) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f") where rule != .upper: character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F") where rule != .lower: character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
