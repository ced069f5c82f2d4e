/// Strict percent decoding: what isn't well-formed UTF-8 after decoding is an error, never repaired.
enum PercentCoding {
  /// nil when an escape is cut short or not hexadecimal, when the bytes aren't UTF-8, or when a control byte results.
  static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      guard byte == ASCII.percent else {
        bytes.append(plusIsSpace && byte == 0x2b ? ASCII.space : byte)
        continue
      }
      guard let high = rest.next().flatMap(ASCII.hexValue), let low = rest.next().flatMap(ASCII.hexValue) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    guard !bytes.contains(where: ASCII.isControl) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}
