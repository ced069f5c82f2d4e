/// Prints a bar as it advances: redrawn in place on a terminal, elsewhere a line whenever it says something new.
struct ProgressPrinter {
  private let terminal: Terminal
  private let write: (String) -> Void
  private var last: ProgressBar?

  init(_ terminal: Terminal, write: @escaping (String) -> Void) {
    self.terminal = terminal
    self.write = write
  }

  mutating func show(_ bar: ProgressBar) {
    guard bar != last else { return }
    if terminal.isTerminal {
      write("\r\u{1B}[2K" + bar.rendered(terminal))
    } else if last?.percent != bar.percent || last?.note != bar.note || last?.total != bar.total {
      write(bar.plain + "\n")
    }
    last = bar
  }

  /// Leaves the last bar on the screen and moves below it.
  mutating func finish() {
    if terminal.isTerminal && last != nil { write("\n") }
    last = nil
  }
}
