/// Tells code, comments and string literals of Swift source apart. Enough for the rules: nested comments, raw and multi-line
/// strings and interpolations are understood; regular expressions in `#/…/#` count as neither.
struct SwiftParts {
  private(set) var code = ""
  private(set) var literals = ""

  private var rest: ArraySlice<Character>

  init(_ text: String) {
    rest = Array(text)[...]
    while let character = rest.first { step(character) }
  }

  private enum Sink { case code, literals, none }

  /// Moves one character to one side and a blank, or the line break, to the other.
  private mutating func take(_ sink: Sink) {
    guard let character = rest.popFirst() else { return }
    let blank: Character = character.isNewline ? "\n" : " "
    code.append(sink == .code ? character : blank)
    literals.append(sink == .literals ? character : blank)
  }

  private mutating func take(_ count: Int, _ sink: Sink) {
    for _ in 0..<count { take(sink) }
  }

  private mutating func step(_ character: Character) {
    if starts("//") {
      while let next = rest.first, !next.isNewline { take(.none) }
    } else if starts("/*") {
      blockComment()
    } else if starts("#/") {
      repeat { take(.none) } while !rest.isEmpty && !starts("/#")
      take(2, .none)
    } else if let hashes = openingHashes() {
      string(hashes: hashes)
    } else {
      take(.code)
    }
  }

  private func starts(_ word: String) -> Bool { rest.starts(with: word) }

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
    let hashes = rest.prefix { $0 == "#" }.count
    return rest.dropFirst(hashes).first == "\"" ? hashes : nil
  }

  private mutating func string(hashes: Int) {
    let fence = String(repeating: "#", count: hashes)
    take(hashes, .code)
    let quote = starts("\"\"\"") ? "\"\"\"" : "\""
    take(quote.count, .code)
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
    take(quote.count + hashes, .code)
  }

  /// The code inside `\( … )`, up to and with its closing parenthesis.
  private mutating func interpolation() {
    var depth = 1
    while depth > 0, let character = rest.first {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      step(character)
    }
  }
}
