/// A GOAWAY frame as scripted.
struct GoAway: Sendable, Equatable {
  var code: UInt32 = 0
  /// Put into the debug data as `{"reason": "…"}`, as the real service does.
  var reason: String?
  /// Debug data as it is, for services that send plain text.
  var text: String?
  /// How many of the newest streams the client has already opened are *above* the last-stream-id: 0 refuses none.
  var refuse = 0
  /// First the "shutting down soon" GOAWAY with the largest id, then the real one.
  var graceful = false
  /// The frame twice in a row.
  var twice = false
  /// Closes the socket once everything due has been written, without waiting for streams to end.
  var close = false

  var debugData: [UInt8] {
    if let text { return Array(text.utf8) }
    guard let reason else { return [] }
    return Answer(status: 0, reason: reason).body
  }
}
