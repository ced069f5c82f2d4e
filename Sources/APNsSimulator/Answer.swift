/// What goes back to the client for one request.
struct Answer: Sendable, Equatable {
  var status: Int
  /// `nil` with an error status: an answer without a body, which clients have to survive too.
  var reason: String?
  /// Milliseconds since the epoch; sent with 410.
  var timestamp: Int64?
  /// Splits the body into DATA frames of at most this many bytes.
  var frameBytes: Int?

  static let accepted = Answer(status: 200)

  static func rejected(_ reason: Reason, timestamp: Int64? = nil) -> Answer {
    Answer(status: reason.status, reason: reason.rawValue, timestamp: timestamp)
  }

  var body: [UInt8] {
    guard status != 200, let reason else { return [] }
    var text = "{\"reason\":\""
    for scalar in reason.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case let other where other.value < 0x20: text += " "
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
    if let timestamp { text += ",\"timestamp\":\(timestamp)" }
    return Array((text + "}").utf8)
  }
}
