internal import JSON
internal import KitsCore

/// The records of a CSV file, one after the other. What can't be read costs one line: a stray quote doesn't take the
/// rest of the file with it.
struct CSVRecords: ImportRecords {
  private let scanner: CSVScanner
  private(set) var window: FileWindow
  private(set) var line: Int64

  init(_ window: FileWindow, delimiter: UInt8, line: Int64) {
    self.window = window
    self.line = line
    scanner = CSVScanner(delimiter: delimiter)
  }

  mutating func next() throws(CommandFailure) -> ImportRecord? {
    while true {
      if window.count == 0 && window.isAtEnd { return nil }
      switch window.peek({ scanner.scan($0, isLast: window.isAtEnd) }) {
      case .record(let cells, let length, let lines):
        if length > Limits.importRowBytes { return try tooLong() }
        let record = ImportRecord(line: line + 1, content: .cells(texts(cells)))
        window.take(length)
        line += Int64(lines)
        // An empty line.
        if cells.count == 1, cells[0].range.isEmpty, !cells[0].isQuoted { continue }
        return record
      case .malformed(let length, let lines):
        if length > Limits.importRowBytes { return try tooLong() }
        window.take(length)
        line += Int64(lines)
        return broken(lines: lines, .badFormat, "Text follows the closing quote of a cell.")
      case .unterminated:
        try skipLine()
        return broken(lines: 1, .badFormat, "The closing quote of a cell is missing.")
      case .incomplete:
        if window.count > Limits.importRowBytes { return try tooLong() }
        try window.fill()
      }
    }
  }

  private mutating func tooLong() throws(CommandFailure) -> ImportRecord {
    try skipLine()
    return broken(lines: 1, .tooLong, "A row has at most \(Limits.importRowBytes) bytes; is a closing quote missing?")
  }

  private func broken(lines: Int, _ code: ImportFault.Code, _ detail: String) -> ImportRecord {
    ImportRecord(line: line - Int64(lines) + 1, content: .broken(code, detail))
  }

  private func texts(_ cells: [CSVScanner.Cell]) -> [String?] {
    window.peek { bytes in
      cells.map { cell in
        let text = String(validating: UnsafeBufferPointer(rebasing: bytes[cell.range]), as: UTF8.self)
        return cell.isEscaped ? text?.replacing("\"\"", with: "\"") : text
      }
    }
  }

  private mutating func skipLine() throws(CommandFailure) {
    try window.skipLine()
    line += 1
  }
}
