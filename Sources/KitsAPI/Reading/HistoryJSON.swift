internal import JSON
internal import KitsCore

/// How the history of an installation is answered.
enum HistoryJSON {
  static func write(_ history: InstallationHistory) -> JSONWriter {
    var json = JSONWriter(capacity: 384 * (history.deliveries.count + 1))
    json.beginObject()
    json.key("data")
    json.beginArray()
    for entry in history.deliveries {
      json.beginObject()
      json.member("message_id", entry.message)
      json.member("title", entry.title)
      json.member("state", entry.state.name)
      json.member("started_at", entry.startedAt)
      DeliveryJSON.standing(entry.standing, to: &json)
      json.endObject()
    }
    json.endArray()
    json.key("reach")
    json.beginObject()
    json.member("complete_since", history.completeSince)
    json.member("larger_messages", Int64(history.largerMessages))
    json.endObject()
    json.endObject()
    return json
  }
}
