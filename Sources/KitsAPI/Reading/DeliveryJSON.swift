internal import JSON
internal import KitsCore

/// How deliveries of a message are answered.
enum DeliveryJSON {
  private static let bytesPerDelivery = 224

  static func page(_ page: DeliveryPage, isPlanned: Bool, nextCursor: String?) -> JSONWriter {
    var json = JSONWriter(capacity: bytesPerDelivery * (page.deliveries.count + 1))
    json.beginObject()
    json.key("data")
    json.beginArray()
    for delivery in page.deliveries {
      json.beginObject()
      json.member("installation_id", delivery.installation?.text)
      standing(delivery.standing, to: &json)
      json.endObject()
    }
    json.endArray()
    json.member("planned", isPlanned)
    json.member("next_cursor", nextCursor)
    json.endObject()
    return json
  }

  /// The members that every delivery has.
  static func standing(_ standing: DeliveryStanding, to json: inout JSONWriter) {
    json.member("outcome", standing.outcome.name)
    json.member("reason", standing.reason)
    json.member("attempts", Int64(standing.attempts))
    json.member("resent", standing.isResent)
    json.member("received_at", standing.receivedAt)
    json.member("clicked_at", standing.clickedAt)
  }
}
