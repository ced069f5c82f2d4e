/// The rules about Swift sources, one function each: a file goes in, the places that break the rule come out. The rule
/// about whole functions is in `Rules+Functions.swift`.
enum Rules {
  typealias Rule = @Sendable (SourceFile) -> [Finding]

  static func imports(_ file: SourceFile) -> [Finding] {
    file.code.indices.compactMap { index in
      let words = file.code[index].split(whereSeparator: \.isWhitespace)
      guard let keyword = words.firstIndex(of: "import"), keyword <= 2, words.count > keyword + 1 else { return nil }
      // `import struct Module.Type` names a kind first.
      let isKind = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"].contains(
        words[keyword + 1])
      guard let named = words.dropFirst(keyword + (isKind ? 2 : 1)).first else { return nil }
      let module = String(named.prefix { $0 != "." })
      if House.mayImport(module, target: file.target) { return nil }
      return file.finding(index, "\(file.target) may not import \(module)")
    }
  }

  static func lineLength(_ file: SourceFile) -> [Finding] {
    file.lines.indices.filter { file.lines[$0].utf8.count > 120 && file.lines[$0].count > 120 }.map {
      file.finding($0, "\(file.lines[$0].count) characters, 120 allowed")
    }
  }

  static func fileLength(_ file: SourceFile) -> [Finding] {
    let count = file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
    return count > 500 ? [file.finding(count - 1, "\(count) lines, 500 allowed")] : []
  }

  /// Names that say nothing: whoever needs one hasn't found the noun yet.
  static func names(_ file: SourceFile) -> [Finding] {
    let vague: Set<Substring> = [
      "Common", "Util", "Utils", "Utilities", "Model", "Models", "Manager", "Managers", "Helper", "Helpers",
    ]
    let words = file.path.matches(of: #/[A-Z]+(?![a-z])|[A-Z][a-z0-9]*/#).map(\.output)
    return words.filter(vague.contains).map { file.finding(0, "the name says \($0)") }
  }

  static func sql(_ file: SourceFile) -> [Finding] {
    if file.target == "KitsStore" || file.target == "KitsBench" { return [] }
    if file.target == "Postgres" && file.name.hasPrefix("Migrat") { return [] }
    return matches(
      #/\b(SELECT\s.*\sFROM|INSERT\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|(CREATE|ALTER|DROP)\s+TABLE)\b/#,
      in: file.literals, of: file, "SQL belongs into KitsStore")
  }

  static func uncheckedSendable(_ file: SourceFile) -> [Finding] {
    file.code.indices.filter { isUnchecked(file.code[$0]) }.compactMap { index in
      // The one lock of the server: it can't be in a wrapper, because wrappers don't import one another.
      let isAtHome =
        House.wrappers.contains(file.target) || House.tools.contains(file.target)
        || file.path == "Sources/KitsServer/Telemetry/Locked.swift"
      if !isAtHome { return file.finding(index, "only the wrappers of C libraries may do this") }
      // A run of such lines shares one reason; a declaration may span lines and carry attributes.
      var line = index
      while line > 0, !file.isExplained(line), isUnchecked(file.code[line - 1]) { line -= 1 }
      return file.isExplained(line) ? nil : file.finding(index, "says not why this is safe")
    }
  }

  private static func isUnchecked(_ line: Substring) -> Bool {
    line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)")
  }

  static func environment(_ file: SourceFile) -> [Finding] {
    if House.programs.contains(file.target) { return [] }
    return matches(
      #/\b(getenv|secure_getenv)\s*\(|\bprocessInfo\.environment|\benviron\b/#, in: file.code, of: file,
      "only the programs read the environment")
  }

  static func output(_ file: SourceFile) -> [Finding] {
    if House.programs.contains(file.target) { return [] }
    return matches(
      #/(?:^|[^.\w])(?:(print|debugPrint|dump|fputs|puts|perror|NSLog)\s*\(|STD(ERR|OUT)_FILENO\b|std(err|out)\b)/#,
      in: file.code, of: file, "only the programs write to the terminal")
  }

  static func traps(_ file: SourceFile) -> [Finding] {
    matches(#/\btry!|\bas!|[\w\)\]>]!(?!=)/#, in: file.code, of: file, "a trap without a reason beside it")
      .filter { !file.isExplained($0.line - 1) }
      + matches(
        #/\b(fatalError|preconditionFailure|assertionFailure)\(\s*\)/#, in: file.code, of: file,
        "a trap that says nothing")
  }

  static func sleeps(_ file: SourceFile) -> [Finding] {
    matches(
      #/\b(Task|Thread|clock)\.sleep\b|\b(sleep|usleep|nanosleep)\s*\(/#, in: file.code, of: file, "waits for time"
    )
    .filter { file.target != "TestSupport" || !file.isExplained($0.line - 1) }
  }

  static func emptyCatches(_ file: SourceFile) -> [Finding] {
    file.code.indices.compactMap { index in
      guard let match = file.code[index].firstMatch(of: #/\bcatch\b[^{]*\{/#) else { return nil }
      var rest = file.code[index][match.range.upperBound...]
      var line = index
      while rest.allSatisfy(\.isWhitespace), line + 1 < file.code.count {
        line += 1
        rest = file.code[line]
      }
      let isEmpty = rest.first { !$0.isWhitespace } == "}"
      let isExplained = (index...line).contains { file.lines[$0].contains("//") }
      return isEmpty && !isExplained ? file.finding(index, "an error is dropped without a word") : nil
    }
  }

  static func machinePaths(_ file: SourceFile) -> [Finding] {
    // Written in halves, so that this file keeps its own rule.
    let places = ["ro" + "ot/", "wo" + "rk/", "ho" + "me/"].map { "/" + $0 }
    return file.lines.indices.filter { index in
      places.contains { place in
        file.lines[index].ranges(of: place).contains { range in
          range.lowerBound == file.lines[index].startIndex
            || !isPathCharacter(file.lines[index][file.lines[index].index(before: range.lowerBound)])
        }
      }
    }.map { file.finding($0, "names a path of one machine") }
  }

  private static func isPathCharacter(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "._-~}".contains(character)
  }

  private static func matches(
    _ pattern: some RegexComponent, in lines: [Substring], of file: SourceFile, _ what: String
  ) -> [Finding] {
    lines.indices.filter { lines[$0].firstMatch(of: pattern) != nil }.map { file.finding($0, what) }
  }
}
