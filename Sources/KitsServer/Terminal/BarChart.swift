/// Numbers beside their names, drawn as bars where there is a terminal. Rendering is pure.
struct BarChart: Sendable, Equatable {
  struct Series: Sendable, Equatable {
    let name: String
    var color = Terminal.Color.cyan
  }

  struct Row: Sendable, Equatable {
    let label: String
    /// One for each series.
    let counts: [Int]
    /// After the last number.
    var note = ""
    /// Instead of the color of the series.
    var color: Terminal.Color?
    /// Stands for rows that were left out: has a label alone.
    var isGap = false
  }

  let series: [Series]
  let rows: [Row]

  private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
  private static let widest = 40
  private static let narrowest = 4

  /// Never wider than the terminal. Elsewhere the numbers alone, in columns.
  func rendered(_ terminal: Terminal) -> String {
    let labels = rows.map { LogText.escaped($0.label) }
    let labelWidth = labels.map(\.count).max() ?? 0
    let width = terminal.isTerminal ? barWidth(terminal.columns - 1, besides: labelWidth) : 0
    let head = series.count > 1 ? [line(String(repeating: " ", count: labelWidth), heads(barWidth: width), "")] : []
    return
      (head
      + zip(rows, labels).map { row, label in
        let label = label + String(repeating: " ", count: labelWidth - label.count)
        return row.isGap ? trimmed(label) + "\n" : line(label, cells(row, terminal, barWidth: width), row.note)
      }).joined()
  }

  /// What is left for each bar; 0 when that is too little to see anything.
  private func barWidth(_ columns: Int, besides label: Int) -> Int {
    let notes = rows.map { $0.note.isEmpty ? 0 : $0.note.count + 2 }.max() ?? 0
    // Before each number and each bar there are two spaces.
    let numbers = series.indices.reduce(0) { $0 + numberWidth($1) + 4 }
    let room = (columns - label - notes - numbers) / max(1, series.count)
    return room < Self.narrowest ? 0 : min(room, Self.widest)
  }

  private func numberWidth(_ column: Int) -> Int {
    let name = series.count > 1 ? series[column].name.count : 0
    return max(name, rows.map { column < $0.counts.count ? "\($0.counts[column])".count : 0 }.max() ?? 0)
  }

  private func heads(barWidth: Int) -> [String] {
    series.indices.map { column in
      let bar = barWidth > 0 ? String(repeating: " ", count: barWidth + 2) : ""
      return bar + padded(series[column].name, to: numberWidth(column))
    }
  }

  private func cells(_ row: Row, _ terminal: Terminal, barWidth: Int) -> [String] {
    row.counts.enumerated().map { column, count in
      let number = padded("\(count)", to: numberWidth(column))
      guard barWidth > 0 else { return number }
      let bar = bar(count, of: largest, width: barWidth)
      let rest = String(repeating: " ", count: barWidth - bar.count)
      return terminal.colored(bar, row.color ?? series[column].color) + rest + "  " + number
    }
  }

  private var largest: Int { rows.flatMap(\.counts).max() ?? 0 }

  /// What isn't 0 is seen.
  private func bar(_ count: Int, of largest: Int, width: Int) -> String {
    guard count > 0, largest > 0 else { return "" }
    let parts = max(1, Int(Double(count) / Double(largest) * Double(width * 8)))
    return String(repeating: "█", count: parts / 8) + Self.eighths[parts % 8]
  }

  private func line(_ label: String, _ cells: [String], _ note: String) -> String {
    trimmed(([label] + cells).joined(separator: "  ") + (note.isEmpty ? "" : "  " + note)) + "\n"
  }

  private func padded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private func trimmed(_ text: String) -> String {
    var text = Substring(text)
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
