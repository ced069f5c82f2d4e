/// Tells code, comments and string literals of Swift source apart. Enough for the rules: nested comments, raw and
/// multi-line strings and interpolations are understood; regular expressions in `#/…/#` count as neither.
struct SwiftParts {
  /// The source with everything but code blanked, byte for byte.
  var code: String { String(decoding: codeBytes, as: UTF8.self) }
  /// The source with everything but the insides of string literals blanked, byte for byte.
  var literals: String { String(decoding: literalBytes, as: UTF8.self) }

  private var codeBytes: [UInt8] = []
  private var literalBytes: [UInt8] = []
  private var rest: ArraySlice<UInt8>

  init(_ text: String) {
    rest = Array(text.utf8)[...]
    codeBytes.reserveCapacity(rest.count)
    literalBytes.reserveCapacity(rest.count)
    while let byte = rest.first { step(byte) }
  }

  private enum Sink { case code, literals, none }

  private static let lineBreak = UInt8(ascii: "\n")
  private static let blank = UInt8(ascii: " ")
  private static let quote = UInt8(ascii: "\"")
  private static let hash = UInt8(ascii: "#")
  private static let slash = UInt8(ascii: "/")

  /// Moves one byte to one side and a blank, or the line break, to the other.
  private mutating func take(_ sink: Sink) {
    guard let byte = rest.popFirst() else { return }
    let filler = byte == Self.lineBreak ? byte : Self.blank
    codeBytes.append(sink == .code ? byte : filler)
    literalBytes.append(sink == .literals ? byte : filler)
  }

  private mutating func take(_ count: Int, _ sink: Sink) {
    for _ in 0..<count { take(sink) }
  }

  private mutating func step(_ byte: UInt8) {
    switch byte {
    case Self.slash where starts("//"):
      while let next = rest.first, next != Self.lineBreak { take(.none) }
    case Self.slash where starts("/*"):
      blockComment()
    case Self.hash where starts("#/"):
      repeat { take(.none) } while !rest.isEmpty && !starts("/#")
      take(2, .none)
    case Self.hash, Self.quote:
      if let hashes = openingHashes() { string(hashes: hashes) } else { take(.code) }
    default:
      take(.code)
    }
  }

  private func starts(_ word: String) -> Bool { rest.starts(with: word.utf8) }

  private mutating func blockComment() {
    var depth = 0
    repeat {
      if starts("/*") {
        depth += 1
        take(2, .none)
      } else if starts("*/") {
        depth -= 1
        take(2, .none)
      } else {
        take(.none)
      }
    } while depth > 0 && !rest.isEmpty
  }

  /// How many `#` come before the quote that opens a string here; nil when no string opens here.
  private func openingHashes() -> Int? {
    let hashes = rest.prefix { $0 == Self.hash }.count
    return rest.dropFirst(hashes).first == Self.quote ? hashes : nil
  }

  private mutating func string(hashes: Int) {
    let fence = String(repeating: "#", count: hashes)
    take(hashes, .code)
    let quote = starts("\"\"\"") ? "\"\"\"" : "\""
    take(quote.utf8.count, .code)
    while !rest.isEmpty && !starts(quote + fence) {
      if starts("\\" + fence + "(") {
        take(2 + hashes, .code)
        interpolation()
      } else if starts("\\" + fence) {
        take(2 + hashes, .literals)
      } else {
        take(.literals)
      }
    }
    take(quote.utf8.count + hashes, .code)
  }

  /// The code inside `\( … )`, up to and with its closing parenthesis.
  private mutating func interpolation() {
    var depth = 1
    while depth > 0, let byte = rest.first {
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      step(byte)
    }
  }
}
