extension Rules {
  /// A function, initializer, deinitializer or subscript has at most 70 lines, from its first to its closing brace.
  static func functionLength(_ file: SourceFile) -> [Finding] {
    let text = file.code.joined(separator: "\n")
    let bytes = text.utf8
    return text.matches(of: #/(?:^|[^.\w])(func|init|deinit|subscript)\b(?!\s*:)/#).compactMap { match in
      let start = match.output.1.startIndex
      guard let open = body(of: bytes[match.range.upperBound...]), let close = closing(bytes[open...]) else {
        return nil
      }
      let count = bytes[start...close].count { $0 == lineBreak } + 1
      if count <= 70 { return nil }
      return file.finding(bytes[..<start].count { $0 == lineBreak }, "\(count) lines in one function, 70 allowed")
    }
  }

  private static let lineBreak = UInt8(ascii: "\n")

  /// Where the brace is that opens the body; nil for a requirement of a protocol, which has none.
  private static func body(of text: Substring.UTF8View) -> String.Index? {
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "{") where depth == 0: return index
      case UInt8(ascii: "}") where depth == 0: return nil
      case lineBreak where depth == 0 && startsDeclaration(Substring(text[index...].dropFirst())): return nil
      default: break
      }
    }
    return nil
  }

  private static func startsDeclaration(_ text: Substring) -> Bool {
    let modifiers: Set<Substring> = [
      "package", "public", "private", "internal", "static", "mutating", "nonisolated", "consuming", "borrowing",
    ]
    let line = text.prefix { !$0.isNewline }
    let words = line.split { !$0.isLetter && $0 != "@" }.drop { modifiers.contains($0) || $0.hasPrefix("@") }
    return ["func", "var", "let", "init", "case", "associatedtype", "subscript"].contains(words.first)
  }

  /// Where the brace is that closes the one at the start.
  private static func closing(_ text: Substring.UTF8View) -> String.Index? {
    var depth = 0
    for index in text.indices {
      if text[index] == UInt8(ascii: "{") { depth += 1 }
      if text[index] == UInt8(ascii: "}") { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }
}
