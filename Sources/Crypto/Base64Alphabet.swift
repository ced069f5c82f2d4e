/// The part that both kinds of Base64 share: six bits per character, strictly.
struct Base64Alphabet: Sendable {
  private let characters: [UInt8]
  /// The value of each byte, or 0xFF.
  private let values: [UInt8]

  init(last two: String) {
    characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(two)".utf8)
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
    self.values = values
  }

  /// The characters, without padding.
  func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var buffer: UInt32 = 0
    var bits = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(characters[Int(buffer >> UInt32(bits)) & 63])
      }
      buffer &= (1 << UInt32(bits)) - 1
    }
    if bits > 0 { text.append(characters[Int(buffer << UInt32(6 - bits)) & 63]) }
    return text
  }

  /// The bytes of unpadded text, or nil for a foreign character, an impossible length, or bits left over that aren't
  /// zero (they would give one value several texts).
  func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var buffer: UInt32 = 0
    var bits = 0
    for character in text {
      let value = values[Int(character)]
      guard value != 0xFF else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
        buffer &= (1 << UInt32(bits)) - 1
      }
    }
    return buffer == 0 ? bytes : nil
  }
}
