/// The last line of defence for K33: should a credential slip into a log field, its bytes don't reach the log.
///
/// Code never logs credentials on purpose; this catches the library message that quotes its input. It looks at every
/// string of every line, so the usual case is one pass over the bytes without an allocation.
enum CredentialMask {
  /// What every credential of this system starts with; the rest of the word after it is masked.
  private static let markers = ["kits_sk_", "kits_dt_", "kits_rt_", "kitid1", "Bearer ", "eyJ"].map { Array($0.utf8) }
  private static let privateKey = Array("PRIVATE KEY".utf8)
  private static let schemeEnd = Array("://".utf8)
  private static let replacement = Array("<redacted>".utf8)

  static func masked(_ text: String) -> String {
    var text = text
    guard text.withUTF8({ bytes in bytes.indices.contains { isSuspicious(bytes, at: $0) } }) else { return text }
    let result = text.withUTF8 { mask($0) }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isSuspicious(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    switch bytes[index] {
    case UInt8(ascii: "k"), UInt8(ascii: "B"), UInt8(ascii: "e"): marker(bytes, at: index) != nil
    case UInt8(ascii: "P"): has(privateKey, bytes, at: index)
    case UInt8(ascii: ":"): has(schemeEnd, bytes, at: index)
    default: false
    }
  }

  private static func mask(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if has(privateKey, bytes, at: index) { return replacement }
      if let marker = marker(bytes, at: index) {
        result += marker + replacement
        index = endOfWord(bytes, from: index + marker.count)
      } else if has(schemeEnd, bytes, at: index) {
        index = maskPassword(bytes, at: index, &result)
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  /// `://user:password@host` keeps the user and the host. Returns where to go on.
  private static func maskPassword(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: Int, _ result: inout [UInt8]
  ) -> Int {
    let start = index + schemeEnd.count
    result += schemeEnd
    let end = bytes[start...].firstIndex { !isWord($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
    let authority = bytes[start..<(end ?? bytes.count)]
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return start }
    result += authority[..<at].prefix { $0 != UInt8(ascii: ":") }
    result += [UInt8(ascii: ":")] + replacement
    return at
  }

  private static func marker(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> [UInt8]? {
    markers.first { has($0, bytes, at: index) }
  }

  private static func has(_ marker: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    guard bytes.count - index >= marker.count else { return false }
    for offset in marker.indices where bytes[index + offset] != marker[offset] { return false }
    return true
  }

  private static func endOfWord(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    bytes[start...].firstIndex { !isWord($0) } ?? bytes.count
  }

  /// Credentials and URLs contain neither spaces nor what usually surrounds a quotation.
  private static func isWord(_ byte: UInt8) -> Bool {
    byte > 0x20 && !delimiters.contains(byte)
  }

  private static let delimiters = Array("\"',;)]}>".utf8)
}
