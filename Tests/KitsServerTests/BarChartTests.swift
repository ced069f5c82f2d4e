import Testing

@testable import KitsServer

@Suite("Bar charts")
struct BarChartTests {
  static let wide = Terminal(isTerminal: true, hasColors: false, columns: 40)
  static let plain = Terminal(isTerminal: false, hasColors: false, columns: 80)

  static let one = BarChart(
    series: [BarChart.Series(name: "n")],
    rows: [
      BarChart.Row(label: "accepted", counts: [900], note: "90.0 %"), BarChart.Row(label: "failed", counts: [0]),
      BarChart.Row(label: "unknown", counts: [1]),
    ])

  @Test("On a terminal a bar is as long as its share of the largest, and what isn't 0 is seen")
  func terminal() {
    #expect(
      Self.one.rendered(Self.wide) == """
        accepted  ████████████████  900  90.0 %
        failed                        0
        unknown   ▏                   1

        """)
  }

  @Test("Elsewhere there are the numbers alone")
  func elsewhere() {
    #expect(Self.one.rendered(Self.plain) == "accepted  900  90.0 %\nfailed      0\nunknown     1\n")
  }

  @Test("Two series have heads; rows that were left out have a label")
  func two() {
    let chart = BarChart(
      series: [BarChart.Series(name: "received"), BarChart.Series(name: "clicked")],
      rows: [
        BarChart.Row(label: "08", counts: [8, 4]), BarChart.Row(label: "… 5 more", counts: [], isGap: true),
      ])
    let lines = chart.rendered(Self.wide).split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasSuffix("received        clicked"))
    #expect(lines[1] == "08        ████         8  ██          4" && lines[2] == "… 5 more")
    #expect(chart.rendered(Self.plain) == "          received  clicked\n08               8        4\n… 5 more\n")
  }

  @Test("No line is wider than the terminal, where there is room for the numbers at all", arguments: 30...120)
  func width(columns: Int) {
    let terminal = Terminal(isTerminal: true, hasColors: false, columns: columns)
    for line in Self.one.rendered(terminal).split(separator: "\n") { #expect(line.count < columns) }
  }

  @Test("Labels can't drive the terminal")
  func hostile() {
    let chart = BarChart(
      series: [BarChart.Series(name: "n")], rows: [BarChart.Row(label: "a\u{1B}[2J", counts: [1])])
    #expect(!chart.rendered(Self.wide).contains("\u{1B}"))
  }
}
