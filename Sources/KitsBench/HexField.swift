/// Fills prepared text with random hexadecimal digits.
enum HexField {
  private static let digits = Array("0123456789abcdef".utf8)

  static func fill(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ random: inout SplitMix) {
    digits.withUnsafeBufferPointer { digits in
      var word: UInt64 = 0
      for index in 0..<count {
        if index % 16 == 0 { word = random.next() }
        bytes[index] = digits[Int(word & 0x0f)]
        word >>= 4
      }
    }
  }

  /// The digits of a version 4 UUID; hyphens are already there.
  static func fillUUID(_ bytes: UnsafeMutablePointer<UInt8>, _ random: inout SplitMix) {
    for (start, count) in [(0, 8), (9, 4), (14, 4), (19, 4), (24, 12)] { fill(bytes + start, count, &random) }
    bytes[14] = UInt8(ascii: "4")
    bytes[19] = UInt8(ascii: "a")
  }

  static let emptyToken = String(repeating: "0", count: 64)
  static let emptyUUID = "00000000-0000-4000-a000-000000000000"
}
