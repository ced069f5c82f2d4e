internal import JSON

/// A timeline as `kits message timeline` draws it. Long stretches without anything take one line.
struct TimelineView: Sendable {
  private struct Hour {
    let start: String
    let received: Int
    let clicked: Int

    var isEmpty: Bool { received == 0 && clicked == 0 }
  }

  private let hours: [Hour]
  private let isTracked: Bool

  private static let longestGap = 3

  /// Nil when the answer is no timeline.
  init?(_ answer: JSONObject) {
    guard let entries = answer["hours"]?.array else { return nil }
    isTracked = answer["tracking"]?.object?["events"]?.bool ?? false
    hours = entries.compactMap(\.object).map { entry in
      Hour(
        start: entry["hour"]?.string ?? "", received: Int(entry["received"]?.integer ?? 0),
        clicked: Int(entry["clicked"]?.integer ?? 0))
    }
  }

  func rendered(_ terminal: Terminal) -> String {
    guard !hours.isEmpty else {
      return isTracked ? "nothing was confirmed yet\n" : "the message doesn't ask devices to confirm anything\n"
    }
    return chart.rendered(terminal)
  }

  private var chart: BarChart {
    var rows: [BarChart.Row] = []
    var rest = hours[...]
    while let hour = rest.first {
      let gap = rest.prefix(while: \.isEmpty)
      if gap.count > Self.longestGap {
        rows.append(BarChart.Row(label: "… \(gap.count) hours without any", counts: [], isGap: true))
        rest = rest.dropFirst(gap.count)
      } else {
        rows.append(BarChart.Row(label: Self.label(hour.start), counts: [hour.received, hour.clicked]))
        rest = rest.dropFirst()
      }
    }
    return BarChart(
      series: [BarChart.Series(name: "received", color: .cyan), BarChart.Series(name: "clicked", color: .green)],
      rows: rows)
  }

  /// `2026-11-30 08:00Z` of `2026-11-30T08:00:00.000Z`.
  private static func label(_ time: String) -> String {
    guard time.utf8.count >= 16 else { return time }
    return time.prefix(10) + " " + time.dropFirst(11).prefix(5) + "Z"
  }
}
