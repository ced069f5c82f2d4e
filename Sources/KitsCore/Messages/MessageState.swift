/// Where a message is. `completed` says nothing about success: the ledger does. That it is paused is no state of its
/// own: a pause of its app holds it, whatever its state is.
package enum MessageState: Int16, Sendable, CaseIterable {
  /// Recipients are being looked up; nothing was handed out yet. Becomes sending, completed (nobody matched), canceled
  /// or refused. With guards it lasts until all of them are known.
  case planning = 1
  /// At least one chunk exists. Becomes completed or canceled.
  case sending = 2
  /// Every recipient has a final outcome. Final.
  case completed = 3
  /// Stopped by a caller. What was not attempted is counted as canceled once the message is settled. Final.
  case canceled = 4
  /// Nothing was sent and nothing will be: its recipients weren't those that the caller asked for. Final.
  case refused = 5

  package var name: String {
    switch self {
    case .planning: "planning"
    case .sending: "sending"
    case .completed: "completed"
    case .canceled: "canceled"
    case .refused: "refused"
    }
  }
}

/// What happens to a delivery whose result is unknown after a crash or a broken connection.
package enum OnUnknown: Int16, Sendable, CaseIterable {
  /// Send again under the same collapse id, so that the device replaces instead of showing twice.
  case resend = 1
  /// Count it as unknown and leave it.
  case skip = 2

  package var name: String { self == .resend ? "resend" : "skip" }
}

/// How urgent a message is for the device. APNs' numbers.
package enum MessagePriority: Int16, Sendable, CaseIterable {
  case high = 10
  case normal = 5
  case low = 1

  package var name: String {
    switch self {
    case .high: "high"
    case .normal: "normal"
    case .low: "low"
    }
  }
}

/// Apple's `apns-push-type`, as far as messages use it.
package enum MessageKind: Int16, Sendable, CaseIterable {
  case alert = 1
  case background = 2
}
