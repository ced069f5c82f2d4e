/// The rows of a file in its order, and how far they have been read.
protocol ImportRecords {
  var window: FileWindow { get }
  /// Lines that are read.
  var line: Int64 { get }

  /// Nil at the end of the file.
  mutating func next() throws(CommandFailure) -> ImportRecord?
}

extension FileWindow {
  /// Takes everything up to the end of a line, however long that is.
  mutating func skipLine() throws(CommandFailure) {
    while true {
      if let end = peek({ $0.firstIndex(of: UInt8(ascii: "\n")) }) { return take(end + 1) }
      take(count)
      if isAtEnd { return }
      try fill()
    }
  }
}
