internal import HTTPServer
internal import KitsCore

/// The same as comma-separated values (RFC 4180), one line per day and group.
enum UninstallReportCSV {
  static func lines(_ report: UninstallReport) -> [[String]] {
    let head = ["day"] + (report.grouping == .none ? [] : [report.grouping.member, "rest"])
    let lines = report.days.flatMap { day -> [[String]] in
      if report.grouping == .none { return [[day.day.text] + cells(day.counts)] }
      return day.groups.map { group, counts in
        [day.day.text, group.text ?? "", group == .rest ? "true" : "false"] + cells(counts)
      }
    }
    return [head + ["installs", "uninstalls", "taken_back", "net"]] + lines
  }

  private static func cells(_ counts: DeviceCounts) -> [String] {
    [counts.installs, counts.uninstalls, counts.takenBack, counts.net].map(String.init)
  }
}

/// One line per hour or day.
enum MessageReportCSV {
  private static let head = [
    "start", "messages", "targeted", "pending", "accepted", "failed", "suppressed", "expired", "canceled", "unknown",
    "received", "clicked",
  ]

  static func lines(_ report: MessageReport) -> [[String]] {
    [head]
      + report.steps.map { step in
        let (counts, ledger) = (step.counts, step.counts.ledger)
        let numbers = [
          counts.messages, ledger.targeted, ledger.pending, ledger.accepted, ledger.failed, ledger.suppressed,
          ledger.expired, ledger.canceled, ledger.unknown, counts.received, counts.clicked,
        ]
        return [step.start.milliseconds] + numbers.map(String.init)
      }
  }
}

extension RequestHead {
  /// Whether the caller names CSV and not JSON. Weights aren't looked at: whoever wants both gets JSON.
  var prefersCSV: Bool {
    let names = headers.all("Accept").flatMap { $0.split(separator: ",") }.compactMap { part in
      part.split(separator: ";").first.map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
    }
    return names.contains("text/csv") && !names.contains("application/json")
  }
}

extension Response {
  /// Lines of cells. Spreadsheets run cells that look like formulas: those get an apostrophe in front, unless they are
  /// numbers.
  static func csv(_ lines: [[String]]) -> Response {
    let text = lines.map { $0.map(cell).joined(separator: ",") + "\r\n" }.joined()
    var response = Response(status: 200, headers: Headers(), body: Array(text.utf8))
    response.headers.set("Content-Type", "text/csv; charset=utf-8; header=present")
    response.headers.set("Cache-Control", "no-store")
    return response
  }

  private static func cell(_ text: String) -> String {
    let isFormula = text.first.map { "=+-@＝＋－＠".contains($0) } ?? false
    let text = isFormula && Int64(text) == nil ? "'" + text : text
    guard text.contains(where: { "\", \r\n".contains($0) }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
