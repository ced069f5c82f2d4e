internal import JSON
internal import KitsCore

/// How tracking and engagement are answered.
enum EngagementJSON {
  static func write(_ tracking: Tracking, to json: inout JSONWriter) {
    json.key("tracking")
    json.beginObject()
    json.member("events", tracking.events)
    json.member("receipts", tracking.receipts)
    json.endObject()
  }

  /// Null where nobody is asked: 0 would say that nobody answered.
  static func write(_ engagement: Engagement, of ledger: Ledger, to json: inout JSONWriter) {
    json.key("engagement")
    guard let most = engagement.couldConfirm(ledger) else { return json.null() }
    json.beginObject()
    json.member("received", engagement.received)
    json.member("clicked", engagement.clicked)
    json.key("could_confirm")
    json.beginObject()
    json.member("received", most.received)
    json.member("clicked", most.clicked)
    json.endObject()
    json.endObject()
  }
}
