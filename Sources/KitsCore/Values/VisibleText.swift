/// Makes text from anywhere safe to show to people.
package enum VisibleText {
  /// Characters that break a line, drive a terminal or reorder what a reader sees.
  package static func isHazard(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }

  /// Hazards become `\u{…}`, everything else stays.
  package static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHazard) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isHazard(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
