import Crypto
import JSON

/// `GET /notifications`.
enum NotificationReport {
  static func write(_ notifications: [Notification]) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("notifications")
    writer.beginArray()
    for notification in notifications { write(notification, to: &writer) }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }

  private static func write(_ notification: Notification, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("sequence", notification.sequence)
    writer.member("apns_id", notification.messageID)
    writer.member("token", notification.deviceToken)
    writer.timestampMember("received_at", notification.receivedMicroseconds)
    writer.member("received_at_us", notification.receivedMicroseconds)
    writer.member("connection", notification.connection)
    writer.member("stream", Int(notification.stream))
    writer.member("status", notification.status)
    writer.key("headers")
    writer.beginObject()
    // The credential is left out: nothing that is shown or logged holds a token that still works.
    for header in notification.headers where header.name != "authorization" {
      writer.member(header.name, header.value)
    }
    writer.endObject()
    writer.member("payload", String(decoding: notification.payload, as: UTF8.self))
    writer.member("payload_base64", Base64.encode(notification.payload))
    writer.endObject()
  }
}
