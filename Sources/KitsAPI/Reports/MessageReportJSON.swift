internal import JSON
internal import KitsCore

/// `MessageReport` of the contract.
enum MessageReportJSON {
  static func report(_ report: MessageReport, app: AppID, days: ClosedRange<Day>) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("app_id", app)
    json.member("from", days.lowerBound.text)
    json.member("to", days.upperBound.text)
    json.member("time_zone", "UTC")
    json.member("interval", report.interval == .hour ? "hour" : "day")
    json.member("as_of", report.asOf)
    json.key("steps")
    json.beginArray()
    for step in report.steps {
      json.beginObject()
      json.member("start", step.start)
      json.member("messages", step.counts.messages)
      LedgerJSON.write(step.counts.ledger, to: &json)
      json.member("received", step.counts.received)
      json.member("clicked", step.counts.clicked)
      json.endObject()
    }
    json.endArray()
    json.endObject()
    return json
  }
}
