/// Comma-separated values (RFC 4180) for spreadsheets, which run cells that look like formulas: those get an apostrophe
/// in front, and nothing reaches them that isn't printable.
package enum CSV {
  private static let starters: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]

  package static func line(_ cells: [String]) -> String {
    cells.map(cell).joined(separator: ",") + "\r\n"
  }

  package static func cell(_ text: String) -> String {
    var text = VisibleText.escaped(text)
    // Spaces before it don't make it less of a formula everywhere.
    if let first = text.unicodeScalars.first(where: { $0 != " " }), starters.contains(first) { text = "'" + text }
    guard text.unicodeScalars.contains(where: { $0 == "\"" || $0 == "," || $0 == " " }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
