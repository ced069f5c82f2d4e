internal import JSON
internal import KitsCore

/// The content as it is stored and answered: the fields that were given, as they were sent, and the two that always
/// have an effect.
struct MessageContentWriter {
  private let body: JSONObject

  init(_ body: JSONObject) {
    self.body = body
  }

  /// Fields before the effective two, in the order of answers.
  private static let leading = [
    "title", "subtitle", "body", "localizations", "data", "image_url", "url", "ios_category", "ios_sound", "ios_badge",
    "ios_interruption_level", "ios_relevance_score", "thread_id", "collapse_id",
  ]
  private static let trailing = ["content_available", "mutable_content", "track_events", "track_receipts"]

  func write(priority: MessagePriority, ttlSeconds: Int64, interruptionLevel: InterruptionLevel?) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    for name in Self.leading {
      if name == "ios_interruption_level", let interruptionLevel {
        json.member(name, interruptionLevel.rawValue)
      } else {
        copy(name, to: &json)
      }
    }
    json.member("priority", priority.name)
    json.member("ttl_seconds", ttlSeconds)
    for name in Self.trailing { copy(name, to: &json) }
    json.endObject()
    return json.bytes
  }

  private func copy(_ name: String, to json: inout JSONWriter) {
    guard let value = body[name], !value.isNull else { return }
    json.member(name, value)
  }
}
