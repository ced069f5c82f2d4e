/// Finds the cells of one record of comma-separated values (RFC 4180) in bytes. Lines end with LF or CRLF; a quote that
/// stands inside of a cell without quotes is an ordinary character.
struct CSVScanner {
  static let quote = UInt8(ascii: "\"")
  private static let lf = UInt8(ascii: "\n")
  private static let cr = UInt8(ascii: "\r")

  let delimiter: UInt8

  /// Where a cell is, without its quotes.
  struct Cell: Equatable {
    var range: Range<Int>
    /// Quotes in it are doubled.
    var isEscaped = false
    var isQuoted = false
  }

  enum Result: Equatable {
    /// `length`: with the end of the line. `lines`: that it takes, line breaks in cells included.
    case record(cells: [Cell], length: Int, lines: Int)
    /// There is more behind a closing quote.
    case malformed(length: Int, lines: Int)
    /// Its end isn't in the bytes.
    case incomplete
    /// A cell's closing quote is missing, and there is nothing more to come.
    case unterminated
  }

  /// - Parameter isLast: nothing comes after the bytes.
  func scan(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> Result {
    var (cells, index, lines, isMalformed) = ([Cell](), 0, 0, false)
    cells.reserveCapacity(24)
    while true {
      var cell = Cell(range: index..<index)
      if index < bytes.count, bytes[index] == Self.quote {
        guard let end = closingQuote(bytes, index + 1, isLast, &cell, &lines) else {
          return isLast ? .unterminated : .incomplete
        }
        cell.range = index + 1..<end
        index = end + 1
        let rest = endOfCell(bytes, index)
        // A carriage return in front of the line's end belongs to that.
        let isReturn = rest == index + 1 && rest < bytes.count && bytes[index] == Self.cr && bytes[rest] == Self.lf
        if rest != index && !isReturn { isMalformed = true }
        index = rest
      } else {
        let end = endOfCell(bytes, index)
        cell.range = index..<end
        index = end
      }
      guard index < bytes.count else {
        // Also a CR whose LF may be still to come.
        guard isLast else { return .incomplete }
        cells.append(cell)
        return ended(cells, index, lines + 1, isMalformed)
      }
      if bytes[index] == delimiter {
        cells.append(cell)
        index += 1
        continue
      }
      if !cell.isQuoted, cell.range.upperBound > cell.range.lowerBound, bytes[index - 1] == Self.cr {
        cell.range = cell.range.lowerBound..<index - 1
      }
      cells.append(cell)
      return ended(cells, index + 1, lines + 1, isMalformed)
    }
  }

  /// The line end or delimiter from here on, or the end of the bytes.
  private func endOfCell(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != delimiter, bytes[index] != Self.lf { index += 1 }
    return index
  }

  private func closingQuote(
    _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ isLast: Bool, _ cell: inout Cell, _ lines: inout Int
  ) -> Int? {
    cell.isQuoted = true
    var index = start
    while index < bytes.count {
      if bytes[index] == Self.lf { lines += 1 }
      guard bytes[index] == Self.quote else {
        index += 1
        continue
      }
      if index + 1 == bytes.count { return isLast ? index : nil }
      guard bytes[index + 1] == Self.quote else { return index }
      cell.isEscaped = true
      index += 2
    }
    return nil
  }

  private func ended(_ cells: [Cell], _ length: Int, _ lines: Int, _ isMalformed: Bool) -> Result {
    isMalformed ? .malformed(length: length, lines: lines) : .record(cells: cells, length: length, lines: lines)
  }
}
