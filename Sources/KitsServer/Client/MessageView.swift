internal import JSON

/// A message as `kits message show` draws it.
struct MessageView: Sendable {
  private let message: JSONObject
  private let progress: MessageProgress

  /// Nil when the answer is no message with a ledger.
  init?(_ message: JSONObject) {
    guard let progress = MessageProgress(message) else { return nil }
    self.message = message
    self.progress = progress
  }

  func rendered(_ terminal: Terminal) -> String {
    var text = head.text + "\n" + outcomes.rendered(terminal)
    if let confirmations { text += "\n" + confirmations.rendered(terminal) }
    if !progress.reasons.isEmpty { text += "\n" + reasons.rendered(terminal) }
    return text
  }

  private var head: Report {
    var fields: [(String, Report.Value)] = []
    for name in ["id", "title", "state", "created_at", "started_at", "completed_at", "canceled_at"] {
      guard let value = message[name], !value.isNull else { continue }
      fields.append((name, Report.Value(value)))
    }
    fields.append(("targeted", .integer(progress.targeted)))
    return Report(fields)
  }

  private var outcomes: BarChart {
    let shown = [(name: "pending", count: progress.pending)] + progress.counts
    let rows = shown.filter { $0.count > 0 || $0.name == "accepted" || $0.name == "failed" }.map { entry in
      BarChart.Row(
        label: entry.name, counts: [entry.count], note: Self.share(entry.count, of: progress.targeted),
        color: Self.color(entry.name))
    }
    return BarChart(series: [BarChart.Series(name: "deliveries")], rows: rows)
  }

  private var reasons: BarChart {
    let rows = progress.reasons.map { entry in
      BarChart.Row(
        label: "\(entry.outcomeClass) \(entry.reason)", counts: [entry.count], color: Self.color(entry.outcomeClass))
    }
    return BarChart(series: [BarChart.Series(name: "deliveries")], rows: rows)
  }

  /// Nil where devices aren't asked. A share is told only of a number that could have been reached.
  private var confirmations: BarChart? {
    guard let engagement = message["engagement"]?.object else { return nil }
    let most = engagement["could_confirm"]?.object
    let rows = ["received", "clicked"].map { name in
      let count = Int(engagement[name]?.integer ?? 0)
      let base = most?[name]?.integer.map(Int.init)
      let note = base.map { "of \($0) that could confirm" + (Self.share(count, of: $0, before: ": ")) }
      return BarChart.Row(label: name, counts: [count], note: note ?? "from apps in the foreground alone")
    }
    return BarChart(series: [BarChart.Series(name: "devices")], rows: rows)
  }

  private static func color(_ outcome: String) -> Terminal.Color {
    switch outcome {
    case "accepted": .green
    case "failed": .red
    default: .cyan
    }
  }

  /// In tenths of a percent, rounded down: 100 % means all.
  static func share(_ count: Int, of total: Int, before: String = "") -> String {
    guard total > 0 else { return "" }
    let tenths = Int(Double(count) / Double(total) * 1_000)
    return "\(before)\(tenths / 10).\(tenths % 10) %"
  }
}
