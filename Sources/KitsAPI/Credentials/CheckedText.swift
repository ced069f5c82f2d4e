internal import Crypto

/// A prefix, random base62 characters, and six more that are their checksum, so that a typo or half a key is refused
/// without asking the database. Letters and digits only: a double click selects the whole.
struct CheckedText: Sendable {
  let prefix: String
  let randomCharacters: Int

  private static let checksumCharacters = 6
  private static let checksumBytes = 4
  private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
  /// Bytes from here on would make the first digits likelier than the last.
  private static let unfair = UInt8(256 / digits.count * digits.count)

  func generate() -> String {
    var characters: [UInt8] = []
    while characters.count < randomCharacters {
      for byte in SystemRandom.bytes(randomCharacters) where byte < Self.unfair && characters.count < randomCharacters {
        characters.append(Self.digits[Int(byte) % Self.digits.count])
      }
    }
    let text = prefix + String(decoding: characters, as: UTF8.self)
    return text + Self.checksum(of: text)
  }

  func matches(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let start = prefix.utf8.count
    guard bytes.count == start + randomCharacters + Self.checksumCharacters, bytes.starts(with: prefix.utf8),
      bytes[start...].allSatisfy(Self.digits.contains)
    else { return false }
    let body = String(decoding: bytes.dropLast(Self.checksumCharacters), as: UTF8.self)
    return bytes.suffix(Self.checksumCharacters).elementsEqual(Self.checksum(of: body).utf8)
  }

  private static func checksum(of text: String) -> String {
    var rest = SHA256.hash(Array(text.utf8)).prefix(checksumBytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    var characters: [UInt8] = []
    for _ in 0..<checksumCharacters {
      characters.append(digits[Int(rest % UInt64(digits.count))])
      rest /= UInt64(digits.count)
    }
    return String(decoding: characters, as: UTF8.self)
  }
}
