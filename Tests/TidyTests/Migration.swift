/// What the rules need to know of a migration: its tables' columns and their unique keys.
struct Migration {
  struct Key {
    let table: String
    let columns: [String]
    let line: Int
  }

  /// Column names by table.
  private(set) var tables: [String: Set<String>] = [:]
  private(set) var keys: [Key] = []

  init(_ sql: String) {
    // Comments go, line breaks stay for the line numbers.
    let kept = sql.split(separator: "\n", omittingEmptySubsequences: false).map { line -> Substring in
      guard let comment = line.firstRange(of: "--") else { return line }
      return line[..<comment.lowerBound]
    }
    let text = kept.joined(separator: "\n")
    for match in text.matches(of: #/(?i)\bCREATE\s+(UNLOGGED\s+)?TABLE\s+(IF\s+NOT\s+EXISTS\s+)?([\w.]+)\s*\(/#) {
      readTable(String(match.output.3).lowercased(), text, from: match.range.upperBound)
    }
    let index = #/(?i)\bCREATE\s+UNIQUE\s+INDEX\s+(CONCURRENTLY\s+)?\w*\s*ON\s+(ONLY\s+)?([\w.]+)[^(;]*\(([^;)]*)/#
    for match in text.matches(of: index) {
      add(String(match.output.3), match.output.4, text, at: match.range.lowerBound)
    }
    let constraint = #/(?i)\bALTER\s+TABLE\s+([\w.]+)[^;]*?\b(?:PRIMARY\s+KEY|UNIQUE)\s*\(([^)]*)\)/#
    for match in text.matches(of: constraint) {
      add(String(match.output.1), match.output.2, text, at: match.range.lowerBound)
    }
  }

  private mutating func readTable(_ table: String, _ text: String, from start: String.Index) {
    var position = start
    for item in Self.items(text[start...]) {
      let words = item.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
      let isConstraint = ["constraint", "primary", "unique", "check", "foreign", "exclude"].contains(words.first ?? "")
      if !isConstraint, let column = words.first { tables[table, default: []].insert(column) }
      if let match = item.firstMatch(
        of: #/(?i)\b(?:PRIMARY\s+KEY|UNIQUE)\b(?:\s+NULLS\s+NOT\s+DISTINCT)?\s*(?:\(([^)]*)\))?/#)
      {
        // A key written at a column is a key of that column.
        add(table, match.output.1 ?? Substring(words.first ?? ""), text, at: position)
      }
      position = item.endIndex
    }
  }

  private mutating func add(_ table: String, _ columns: Substring, _ text: String, at index: String.Index) {
    let names = columns.split(separator: ",").map { $0.filter { !$0.isWhitespace }.lowercased() }
    let line = text[..<index].count { $0 == "\n" } + 1
    keys.append(Key(table: table.lowercased(), columns: names, line: line))
  }

  /// The comma-separated items up to the parenthesis that closes the list.
  private static func items(_ text: Substring) -> [Substring] {
    var found: [Substring] = []
    var depth = 0
    var start = text.startIndex
    for index in text.indices {
      switch text[index] {
      case "(": depth += 1
      case ")" where depth == 0:
        found.append(text[start..<index])
        return found
      case ")": depth -= 1
      case "," where depth == 0:
        found.append(text[start..<index])
        start = text.index(after: index)
      default: break
      }
    }
    return found
  }
}
