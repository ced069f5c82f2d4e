internal import JSON
internal import KitsAPI
internal import KitsCore

/// A file whose format is known: its rows from any place on, as batches of installations.
struct ImportSource: Sendable {
  let file: ImportFile
  let format: ImportFormat
  /// Nil for JSON lines.
  let columns: (any ImportColumns)?
  private let delimiter: UInt8
  /// Where the first row begins, and how many lines are before it.
  private let start: (position: Int64, line: Int64)

  struct Options: Sendable {
    /// Nil: whatever the file looks like.
    var format: ImportFormat?
    var ignoresUnknown = false
  }

  init(_ file: ImportFile, _ options: Options, platforms: [Platform]) throws(CommandFailure) {
    self.file = file
    let (start, head) = try file.head(Limits.importRowBytes)
    let first = head.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    if options.format == .jsonLines || (options.format == nil && first == UInt8(ascii: "{")) {
      (format, columns, delimiter, self.start) = (.jsonLines, nil, 0, (start, 0))
      return
    }
    delimiter = Self.delimiter(head)
    var records = CSVRecords(try FileWindow(file.descriptor, at: start), delimiter: delimiter, line: 0)
    let names = try Self.header(try records.next())
    self.start = (records.window.position, records.line)
    if options.format == .oneSignal || (options.format == nil && OneSignalColumns.matches(names)) {
      (format, columns) = (.oneSignal, try OneSignalColumns(names, platforms: platforms))
    } else {
      (format, columns) = (.csv, try KitsColumns(names, ignoresUnknown: options.ignoresUnknown))
    }
  }

  /// The rows behind a place that an earlier reading came to; 0 is the start.
  func records(from position: Int64, line: Int64) throws(CommandFailure) -> any ImportRecords {
    let place = position == 0 ? start : (position, line)
    let window = try FileWindow(file.descriptor, at: place.0)
    if columns == nil { return LineRecords(window, line: place.1) }
    return CSVRecords(window, delimiter: delimiter, line: place.1)
  }

  /// Spreadsheets of many countries write semicolons.
  private static func delimiter(_ head: [UInt8]) -> UInt8 {
    let line = head.prefix { $0 != UInt8(ascii: "\n") }
    let semicolons = line.count { $0 == UInt8(ascii: ";") }
    return semicolons > line.count { $0 == UInt8(ascii: ",") } ? UInt8(ascii: ";") : UInt8(ascii: ",")
  }

  private static func header(_ record: ImportRecord?) throws(CommandFailure) -> [String] {
    guard let record else { throw .refused("the file is empty") }
    guard case .cells(let cells) = record.content, cells.count <= Limits.importColumns else {
      throw .refused("the file's first line is not a line of at most \(Limits.importColumns) column names")
    }
    var names: [String] = []
    for cell in cells {
      guard let cell else { throw .refused("the file's first line is not UTF-8") }
      let name = String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      guard !names.contains(name) else {
        throw .refused("the file has the column `\(LogText.escaped(name))` twice")
      }
      names.append(name)
    }
    return names
  }
}
