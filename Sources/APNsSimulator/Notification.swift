/// One request that was taken, as the simulator remembers it.
struct Notification: Sendable {
  /// 1 for the first notification taken since the start or the last reset.
  let sequence: Int
  let messageID: String
  let deviceToken: String
  let headers: [PushRequest.Header]
  let payload: [UInt8]
  /// Microseconds since the epoch, when the last byte of the request had been read.
  let receivedMicroseconds: Int64
  let connection: Int
  let stream: Int32
  /// The status that was, or would have been, sent back: not 200 when a script let the service take a notification
  /// and then fail to say so.
  let status: Int

  func value(_ header: String) -> String? {
    headers.first { $0.name == header }?.value
  }
}
