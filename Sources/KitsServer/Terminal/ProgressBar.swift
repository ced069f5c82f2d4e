/// One line that says how far something is. Rendering is pure; `ProgressPrinter` decides when to print it.
struct ProgressBar: Sendable, Equatable {
  let done: Int
  /// Nil while it isn't known yet.
  let total: Int?
  /// What is going on, after the numbers.
  let note: String
  var color = Terminal.Color.cyan

  /// 0 to 100, and 100 only when everything is done.
  var percent: Int {
    guard let total, total > 0 else { return total == 0 ? 100 : 0 }
    let clamped = min(max(done, 0), total)
    return Int(Double(clamped) / Double(total) * 100)
  }

  /// For a terminal: never wider than its columns, so that redrawing replaces exactly one line.
  func rendered(_ terminal: Terminal) -> String {
    let numbers = " \(paddedPercent)% \(done)/\(total.map(String.init) ?? "?")"
    let tail = note.isEmpty ? numbers : numbers + "  " + LogText.escaped(note)
    let room = terminal.columns - 1 - tail.count - 2
    guard room >= 5 else { return String(plain.prefix(max(0, terminal.columns - 1))) }
    let width = min(room, 40)
    let filled = width * percent / 100
    let bar = terminal.colored(String(repeating: "█", count: filled), color)
    let rest = String(repeating: "░", count: width - filled)
    return "▕\(bar)\(rest)▏" + tail
  }

  /// For everything else.
  var plain: String {
    "\(percent)% \(done)/\(total.map(String.init) ?? "?")" + (note.isEmpty ? "" : " " + LogText.escaped(note))
  }

  private var paddedPercent: String {
    let digits = String(percent)
    return String(repeating: " ", count: max(0, 3 - digits.count)) + digits
  }
}
