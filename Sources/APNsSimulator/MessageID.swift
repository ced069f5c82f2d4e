import Foundation

/// `apns-id`: a lower-case canonical UUID.
enum MessageID {
  static func isCanonical(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    for (index, byte) in bytes.enumerated() {
      switch index {
      case 8, 13, 18, 23: if byte != 0x2D { return false }
      default:
        guard (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) else { return false }
      }
    }
    return true
  }

  /// The 128 bits of a canonical id, which is all that has to be kept to recognise it again.
  static func number(_ text: String) -> UInt128 {
    text.utf8.reduce(into: UInt128(0)) { number, byte in
      switch byte {
      case 0x30...0x39: number = number << 4 | UInt128(byte - 0x30)
      case 0x61...0x66: number = number << 4 | UInt128(byte - 0x57)
      default: break
      }
    }
  }

  static func make() -> String {
    UUID().uuidString.lowercased()
  }
}
