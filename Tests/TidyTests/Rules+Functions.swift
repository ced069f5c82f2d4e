extension Rules {
  /// A function, initializer, deinitializer or subscript has at most 70 lines, from its first to its closing brace.
  static func functionLength(_ file: SourceFile) -> [Finding] {
    let text = file.code.joined(separator: "\n")
    return text.matches(of: #/(?:^|[^.\w])(func|init|deinit|subscript)\b(?!\s*:)/#).compactMap { match in
      guard let open = body(of: text[match.range.upperBound...]), let close = closing(text[open...]) else { return nil }
      let count = text[match.output.1.startIndex...close].count(where: \.isNewline) + 1
      if count <= 70 { return nil }
      let line = text[..<match.output.1.startIndex].count(where: \.isNewline)
      return file.finding(line, "\(count) lines in one function, 70 allowed")
    }
  }

  /// Where the brace is that opens the body; nil for a requirement of a protocol, which has none.
  private static func body(of text: Substring) -> Substring.Index? {
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0: return index
      case "}" where depth == 0: return nil
      case "\n" where depth == 0 && startsDeclaration(text[index...].dropFirst()): return nil
      default: break
      }
    }
    return nil
  }

  private static func startsDeclaration(_ text: Substring) -> Bool {
    text.prefixMatch(
      of:
        #/\s*(@\w+\s+)*((package|public|private|internal|static|mutating|nonisolated|async)\s+)*(func|var|let|init|case|associatedtype|subscript)\b/#
    ) != nil
  }

  /// Where the brace is that closes the one at the start.
  private static func closing(_ text: Substring) -> Substring.Index? {
    var depth = 0
    for index in text.indices {
      if text[index] == "{" { depth += 1 }
      if text[index] == "}" { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }
}
