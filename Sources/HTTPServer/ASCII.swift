/// The byte classes of RFC 9110 that the checks are written in.
enum ASCII {
  static let cr: UInt8 = 0x0d
  static let lf: UInt8 = 0x0a
  static let tab: UInt8 = 0x09
  static let space: UInt8 = 0x20
  static let slash: UInt8 = 0x2f
  static let percent: UInt8 = 0x25

  static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
  }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }

  /// A byte of a `token`: field names and methods consist of these alone.
  static func isToken(_ byte: UInt8) -> Bool {
    if isDigit(byte) || isLetter(byte) { return true }
    switch byte {
    case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e, 0x5f, 0x60, 0x7c, 0x7e: return true
    default: return false
    }
  }

  /// A byte that a field value may hold: no control byte but TAB, no DEL; bytes above 0x7f are opaque but allowed.
  static func isFieldValue(_ byte: UInt8) -> Bool {
    byte == tab || (byte >= space && byte != 0x7f)
  }

  static func isControl(_ byte: UInt8) -> Bool { byte < space || byte == 0x7f }

  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
