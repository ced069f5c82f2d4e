/// The text of an IPv6 address, as RFC 3986 has it in `IP-literal`. Addresses of later versions (`v1.…`) are not taken.
enum IPv6Text {
  private static let colon = UInt8(ascii: ":")

  static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
    let text = Array(bytes)
    let gap = zip(text.indices, text.indices.dropFirst()).first { text[$0] == colon && text[$1] == colon }?.0
    guard let gap else { return groups(text[...], endsAddress: true) == 8 }
    let before = text[..<gap]
    let after = text[(gap + 2)...]
    guard let head = before.isEmpty ? 0 : groups(before, endsAddress: false),
      let tail = after.isEmpty ? 0 : groups(after, endsAddress: true)
    else { return false }
    return head + tail <= 7
  }

  /// How many 16-bit groups the text holds; nil when it isn't made of groups. An IPv4 address may end it, for two.
  private static func groups(_ text: ArraySlice<UInt8>, endsAddress: Bool) -> Int? {
    let parts = text.split(separator: colon, omittingEmptySubsequences: false)
    var count = 0
    for (index, part) in parts.enumerated() {
      if endsAddress, index == parts.count - 1, isIPv4(part) {
        count += 2
      } else {
        guard (1...4).contains(part.count), part.allSatisfy(isHexDigit) else { return nil }
        count += 1
      }
    }
    return count
  }

  private static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        guard (1...3).contains(part.count), part.allSatisfy(isDigit) else { return false }
        guard part.count == 1 || part.first != UInt8(ascii: "0") else { return false }
        return part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
      }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  private static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }
}
