import Foundation

/// Numbers as the table shows them.
enum Text {
  /// Three significant digits or whole.
  static func number(_ value: Double) -> String {
    let size = abs(value)
    return String(format: size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", value)
  }

  static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return right ? space + text : text + space
  }
}

/// What is going on, for whoever waits.
enum Progress {
  static func say(_ text: String) { FileHandle.standardError.write(Data("… \(text)\n".utf8)) }
}
