/// One file of the tree, split for the rules: `code` has comments and the insides of string literals blanked,
/// `literals` has everything else blanked. Both keep every line where it was, so line numbers are those of the file.
struct SourceFile: Sendable {
  let path: String
  let text: String
  let lines: [Substring]
  let code: [Substring]
  let literals: [Substring]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    lines = Self.split(text)
    if path.hasSuffix(".swift") {
      let parts = SwiftParts(text)
      code = Self.split(parts.code)
      literals = Self.split(parts.literals)
    } else {
      code = lines
      literals = lines
    }
  }

  /// `Crypto` for `Sources/Crypto/SHA256.swift`; the first two folders alone decide.
  var target: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }

  var name: Substring {
    path.split(separator: "/").last ?? ""
  }

  /// Whether a person can read why a line is as it is: a comment on it, or on one of the two lines before it.
  func isExplained(_ index: Int) -> Bool {
    (max(0, index - 2)...index).contains { isComment($0) || hasTrailingComment($0) }
  }

  func isComment(_ index: Int) -> Bool {
    lines.indices.contains(index) && lines[index].drop(while: \.isWhitespace).hasPrefix("//")
  }

  func finding(_ index: Int, _ what: String) -> Finding {
    Finding(path: path, line: index + 1, what: what)
  }

  private func hasTrailingComment(_ index: Int) -> Bool {
    let original = lines[index]
    guard original.contains("//"), !isComment(index) else { return false }
    // What the lexer blanked at the end of the line, and isn't a string, is a comment.
    return !code[index].contains("//") && !literals[index].contains("//")
  }

  private static func split(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}
