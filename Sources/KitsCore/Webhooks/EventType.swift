/// What the event feed can tell. Stable names: endpoints subscribe to them.
///
/// The raw values are the order in which events of one change are told.
package enum EventType: Int16, Sendable, CaseIterable {
  /// A message was accepted; scheduled ones too.
  case messageCreated = 1
  /// Its first recipients are known and sending begins.
  case messageStarted = 2
  /// Every recipient has a final outcome, or nobody matched.
  case messageCompleted = 3
  case messageCanceled = 4
  /// A guard stopped it before anything was sent.
  case messageRefused = 5
  /// Devices reported that they received it.
  case notificationReceived = 7
  /// Devices reported that it was opened.
  case notificationClicked = 8
  /// The push service said that the app is gone from devices.
  case installationUnregistered = 9
  /// Sending for the app was paused in one or both APNs environments.
  case appPaused = 10
  case appResumed = 11

  package var name: String {
    switch self {
    case .messageCreated: "message.created"
    case .messageStarted: "message.started"
    case .messageCompleted: "message.completed"
    case .messageCanceled: "message.canceled"
    case .messageRefused: "message.refused"
    case .notificationReceived: "notification.received"
    case .notificationClicked: "notification.clicked"
    case .installationUnregistered: "installation.unregistered"
    case .appPaused: "app.paused"
    case .appResumed: "app.resumed"
    }
  }

  /// Written only while an endpoint wants it: there can be as many as devices.
  package var isOnDemand: Bool {
    switch self {
    case .notificationReceived, .notificationClicked, .installationUnregistered: true
    case .messageCreated, .messageStarted, .messageCompleted, .messageCanceled, .messageRefused, .appPaused,
      .appResumed:
      false
    }
  }

  package static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
}
