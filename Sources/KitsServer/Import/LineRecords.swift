internal import JSON
internal import KitsCore

/// The lines of a file of JSON lines, one after the other, without the empty ones.
struct LineRecords: ImportRecords {
  private(set) var window: FileWindow
  private(set) var line: Int64

  init(_ window: FileWindow, line: Int64) {
    self.window = window
    self.line = line
  }

  mutating func next() throws(CommandFailure) -> ImportRecord? {
    while true {
      if window.count == 0 && window.isAtEnd { return nil }
      let end = window.peek { $0.firstIndex(of: UInt8(ascii: "\n")) }
      guard let length = end ?? (window.isAtEnd ? window.count : nil), length <= Limits.importRowBytes else {
        if window.count > Limits.importRowBytes { return try tooLong() }
        try window.fill()
        continue
      }
      let text = window.peek { Array($0[..<length]) }
      window.take(end == nil ? length : length + 1)
      line += 1
      if text.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t") }) {
        continue
      }
      return ImportRecord(line: line, content: .text(text))
    }
  }

  private mutating func tooLong() throws(CommandFailure) -> ImportRecord {
    try window.skipLine()
    line += 1
    return ImportRecord(
      line: line, content: .broken(.tooLong, "A row has at most \(Limits.importRowBytes) bytes."))
  }
}
