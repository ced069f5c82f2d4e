internal import JSON
internal import KitsCore

/// Which app and which days a report is about: as long as nothing else is asked for, the last 30 days.
struct ReportQuery {
  let app: AppID?
  let days: ClosedRange<Day>

  static let parameters: Set<String> = ["app_id", "from", "to"]

  /// - Parameter today: the day of this node's clock, in UTC like every day.
  init(_ query: inout QueryReader, today: Day, atMost limit: Int) {
    app = query.uuid("app_id").map(AppID.init)
    let to = query.day("to") ?? today
    let from = query.day("from") ?? to.adding(1 - min(Limits.reportDefaultDays, limit))
    if from > to {
      query.refuse("from", .tooLarge, "It must not be after the last day.")
    } else if to.number - from.number >= limit {
      query.refuse("from", .tooSmall, "A report has \(limit) days at most.")
    }
    days = min(from, to)...to
  }
}

extension QueryReader {
  /// A calendar day: `2026-11-30`.
  fileprivate mutating func day(_ name: String) -> Day? {
    guard let text = text(name) else { return nil }
    guard text.utf8.count == 10, let start = RFC3339.parse(text + "T00:00:00Z") else {
      refuse(name, .badFormat, "It must be a day like 2026-11-30.")
      return nil
    }
    return Day(of: Timestamp(microseconds: start))
  }
}

extension Day {
  /// As it is written in answers.
  var text: String { String(RFC3339.format(start.microseconds).prefix(10)) }
}
