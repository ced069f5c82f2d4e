/// What a device tells about a delivery that it got (K9). Neither follows from the other, nor from anything that the
/// push service says.
package enum NotificationEventType: Int16, Sendable, CaseIterable {
  case received = 1
  case clicked = 2

  /// In the API.
  package var name: String {
    switch self {
    case .received: "RECEIVED"
    case .clicked: "CLICKED"
    }
  }
}

/// Who told it.
package enum NotificationEventSource: Int16, Sendable, CaseIterable {
  /// The app, with its device token.
  case app = 1
  /// Its notification service extension, with a receipt token.
  case serviceExtension = 2
}
