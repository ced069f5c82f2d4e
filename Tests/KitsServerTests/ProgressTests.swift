import Testing

@testable import KitsServer

@Suite("Progress")
struct ProgressTests {
  static let plain = Terminal(isTerminal: false, hasColors: false, columns: 80)
  static let wide = Terminal(isTerminal: true, hasColors: false, columns: 80)
  static let colored = Terminal(isTerminal: true, hasColors: true, columns: 80)

  @Test("The bar is exactly this")
  func bar() {
    #expect(
      ProgressBar(done: 1, total: 4, note: "sending").rendered(Self.wide)
        == "▕██████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▏  25% 1/4  sending")
    #expect(
      ProgressBar(done: 0, total: nil, note: "").rendered(Self.wide)
        == "▕░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▏   0% 0/?")
    #expect(
      ProgressBar(done: 2, total: 2, note: "", color: .green).rendered(Self.colored)
        == "▕\u{1B}[32m" + String(repeating: "█", count: 40) + "\u{1B}[0m▏ 100% 2/2")
  }

  @Test("A bar never wraps", arguments: 1...100)
  func width(columns: Int) {
    let terminal = Terminal(isTerminal: true, hasColors: false, columns: columns)
    let bar = ProgressBar(done: 123_456, total: 1_000_000, note: "accepted 123456")
    #expect(bar.rendered(terminal).count < columns)
  }

  @Test(
    "100 % means everything",
    arguments: [
      (0, 0, 100), (0, 3, 0), (999, 1000, 99), (999_999, 1_000_000, 99), (5, 5, 100), (9, 5, 100), (-1, 5, 0),
    ])
  func percent(done: Int, total: Int, expected: Int) {
    #expect(ProgressBar(done: done, total: total, note: "").percent == expected)
  }

  static func printed(_ terminal: Terminal, _ bars: [ProgressBar]) -> String {
    var text = ""
    var printer = ProgressPrinter(terminal) { text += $0 }
    for bar in bars { printer.show(bar) }
    printer.finish()
    return text
  }

  static let bars = [(0, "planning"), (0, "planning"), (1, "sending"), (2, "sending"), (1000, "done")].map {
    ProgressBar(done: $0.0, total: 1000, note: $0.1)
  }

  @Test("A terminal sees one line that is redrawn")
  func terminal() {
    let text = Self.printed(Self.wide, Self.bars)
    #expect(text.split(separator: "\r").count == 4)
    #expect(text.hasSuffix("1000/1000  done\n"))
    #expect(text.filter { $0 == "\n" }.count == 1)
  }

  @Test("Elsewhere a line appears when percentage or note change")
  func lines() {
    #expect(Self.printed(Self.plain, Self.bars) == "0% 0/1000 planning\n0% 1/1000 sending\n100% 1000/1000 done\n")
  }

  @Test("A pipe is no terminal and has no colours")
  func pipe() {
    #expect(!Terminal.of(-1, environment: [:]).isTerminal)
  }
}
