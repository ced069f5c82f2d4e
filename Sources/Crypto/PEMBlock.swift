import COpenSSL

/// The body of the one PEM block of a text, read strictly (RFC 7468): nothing before it, nothing behind it, no header
/// lines, Base64 without slack. OpenSSL's reader skips text around a block and takes the first of several.
struct PEMBlock {
  let label: String
  private(set) var bytes: [UInt8]

  private static let marker = Array("-----BEGIN ".utf8)
  private static let dashes = Array("-----".utf8)

  /// Reads at most `limit` bytes of text; white space around the block is of no matter.
  init(_ text: String, limit: Int, expected: KeyError.Expected) throws(KeyError) {
    func refuse(_ found: KeyError.Found) -> KeyError { KeyError(found: found, expected: expected) }
    let all = Array(text.utf8.prefix(limit + 1))
    // What was pasted is named before anything else, so that a private key is called one wherever it stands.
    if let found = PastedKey.classify(all, expected: expected) { throw refuse(found) }
    guard all.count <= limit else { throw refuse(.tooLarge) }
    let lines = Self.lines(all)
    guard let first = lines.first, let last = lines.last else { throw refuse(.nothing) }
    guard let label = Self.label(first, "BEGIN") else {
      throw refuse(Self.contains(all, Self.marker) ? .textAround : .notPEM)
    }
    let begins = lines.count { Self.label($0, "BEGIN") != nil }
    guard begins == 1 else { throw refuse(.severalBlocks) }
    guard Self.label(last, "END") == label else {
      throw refuse(lines.contains { Self.label($0, "END") == label } ? .textAround : .malformed)
    }
    guard let bytes = Base64.decode(Array(lines.dropFirst().dropLast().joined())), !bytes.isEmpty else {
      throw refuse(.malformed)
    }
    self.label = label
    self.bytes = bytes
  }

  /// Overwrites the decoded bytes.
  mutating func clear() {
    OPENSSL_cleanse(&bytes, bytes.count)
  }

  /// A block in 64-character lines.
  static func encode(label: String, _ bytes: [UInt8]) -> String {
    var text = "-----BEGIN \(label)-----\n"
    var rest = Base64.encode(bytes)[...]
    while !rest.isEmpty {
      text += rest.prefix(64) + "\n"
      rest = rest.dropFirst(64)
    }
    return text + "-----END \(label)-----\n"
  }

  /// The lines between the first and the last character that isn't white space; CRLF and LF both end a line.
  private static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) })
    else { return [] }
    return text[first...last].split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      line.last == 0x0D ? line.dropLast() : line
    }
  }

  private static func label(_ line: ArraySlice<UInt8>, _ word: String) -> String? {
    let start = dashes + Array("\(word) ".utf8)
    guard line.starts(with: start), line.count > start.count + dashes.count, line.suffix(5).elementsEqual(dashes)
    else { return nil }
    return String(decoding: line.dropFirst(start.count).dropLast(dashes.count), as: UTF8.self)
  }

  static func contains(_ text: [UInt8], _ word: [UInt8]) -> Bool {
    guard text.count >= word.count else { return false }
    return (0...text.count - word.count).contains { text[$0...].starts(with: word) }
  }
}
