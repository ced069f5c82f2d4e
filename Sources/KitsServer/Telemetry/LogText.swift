internal import KitsCore

/// Makes text from anywhere safe to put on one line of a terminal or a log.
enum LogText {
  /// Characters that break a line, drive a terminal or reorder what a reader sees.
  static func isHazard(_ scalar: Unicode.Scalar) -> Bool { VisibleText.isHazard(scalar) }

  /// Appends `text` as a JSON string, hazards as `\uXXXX`.
  static func appendJSON(_ text: String, to line: inout String) {
    line.append("\"")
    defer { line.append("\"") }
    if text.utf8.allSatisfy(isPlain) { return line.append(text) }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": line.append("\\\"")
      case "\\": line.append("\\\\")
      case "\n": line.append("\\n")
      case "\r": line.append("\\r")
      case "\t": line.append("\\t")
      default:
        if isHazard(scalar) {
          line.append("\\u")
          line.append(hex(scalar.value))
        } else {
          line.unicodeScalars.append(scalar)
        }
      }
    }
  }

  /// Printable ASCII that JSON leaves alone: nearly every value there is.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// The same for human output: hazards become `\u{…}`, everything else stays.
  static func escaped(_ text: String) -> String { VisibleText.escaped(text) }

  /// At most `limit` bytes, cut between characters.
  static func clipped(_ text: String, to limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: limit)
    while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
      end = text.utf8.index(before: end)
    }
    return String(text[..<end]) + "…"
  }

  /// Four digits are enough: every hazard is in the basic plane.
  private static func hex(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}
