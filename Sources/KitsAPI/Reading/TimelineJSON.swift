internal import JSON
internal import KitsCore

/// How a timeline is answered.
enum TimelineJSON {
  static func write(_ timeline: Timeline, of message: MessageID) -> JSONWriter {
    var json = JSONWriter(capacity: 512 + 80 * timeline.hours.count)
    json.beginObject()
    json.member("message_id", message)
    EngagementJSON.write(timeline.tracking, to: &json)
    json.key("totals")
    json.beginObject()
    json.member("received", timeline.received)
    json.member("clicked", timeline.clicked)
    json.endObject()
    json.key("hours")
    json.beginArray()
    for hour in timeline.hours {
      json.beginObject()
      json.member("hour", hour.start)
      json.member("received", hour.received)
      json.member("clicked", hour.clicked)
      json.endObject()
    }
    json.endArray()
    json.member("read_at", timeline.readAt)
    json.member("refresh_after_seconds", timeline.isYoung ? Int64(Limits.timelineRefreshSeconds) : nil)
    json.endObject()
    return json
  }
}
