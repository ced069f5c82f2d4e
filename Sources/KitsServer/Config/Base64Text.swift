/// Strict base64 (RFC 4648 section 4): padding required, no line breaks, unused bits zero.
///
/// Strict so that one key has one spelling: two texts that differ can't be the same key by accident.
enum Base64Text {
  static func decode(_ text: Substring) -> [UInt8]? {
    let symbols = Array(text.utf8)
    guard !symbols.isEmpty, symbols.count.isMultiple(of: 4) else { return nil }
    let padding = symbols.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(symbols.count / 4 * 3)
    var buffer: UInt32 = 0
    var bits = 0
    for symbol in symbols.dropLast(padding) {
      guard let value = value(of: symbol) else { return nil }
      buffer = (buffer << 6) | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
        buffer &= (1 << UInt32(bits)) - 1
      }
    }
    return buffer == 0 ? bytes : nil
  }

  private static func value(of symbol: UInt8) -> UInt8? {
    switch symbol {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): symbol - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): symbol - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): symbol + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
