import HTTPClient

/// Writes notifications as requests, on the loop threads, when a connection has room for them.
struct NotificationSource: RequestSource {
  let notifications: [APNsNotification]

  var count: Int { notifications.count }

  func write(_ index: Int, to writer: RequestWriter) {
    let notification = notifications[index]
    writer.path("/3/device/", notification.deviceToken)
    writer.header("authorization", "bearer ", writer.credential)
    writer.header("apns-id", notification.apnsID)
    writer.header("apns-topic", notification.topic)
    writer.header("apns-push-type", notification.pushType.rawValue)
    writer.header("apns-priority", Int64(notification.priority))
    writer.header("apns-expiration", notification.expiration)
    if let collapseID = notification.collapseID { writer.header("apns-collapse-id", collapseID) }
    writer.header("content-type", "application/json")
    writer.body(notification.payload)
  }

  /// Answers of the connection class condemn the connection. Trouble of the service or the key doesn't widen it;
  /// bad tokens do, since the server's own stream limit follows those.
  func verdict(_ index: Int, _ response: HTTPResponse) -> ConnectionVerdict {
    guard response.status != 200 else { return .widen }
    switch APNsRejection(response).reasonClass {
    case .connection: return .replace
    case .retryLater, .credential: return .hold
    case .tokenDead, .tokenSuspect, .permanentRequest: return .widen
    }
  }
}
