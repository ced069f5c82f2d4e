package import FoundationEssentials

/// The one text form of an id: 8-4-4-4-12 hex digits. Read in either case, written in lower case.
package enum UUIDText {
  private static let length = 36
  private static let digits = Array("0123456789abcdef".utf8)

  /// The id, or nil for anything but the one form.
  package static func parse(_ text: String) -> UUID? {
    guard text.utf8.count == length else { return nil }
    var nibbles: UInt8 = 0
    var pending = false
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    for (position, byte) in text.utf8.enumerated() {
      if position == 8 || position == 13 || position == 18 || position == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let nibble = nibble(byte) else { return nil }
      if pending { bytes.append(nibbles << 4 | nibble) }
      nibbles = nibble
      pending.toggle()
    }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// The lower-case text.
  package static func format(_ id: UUID) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length)
    append(id, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the lower-case text.
  package static func append(_ id: UUID, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: id.uuid) { raw in
      for (index, byte) in raw.enumerated() {
        if index == 4 || index == 6 || index == 8 || index == 10 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      }
    }
  }

  private static func nibble(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
