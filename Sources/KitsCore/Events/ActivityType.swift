/// What an app tells beside notifications (T13). Each needs its own consent (K2).
package enum ActivityType: Int16, Sendable, CaseIterable {
  case user = 1
  case event = 2
  case activity = 3

  /// In the API.
  package var name: String {
    switch self {
    case .user: "user"
    case .event: "event"
    case .activity: "activity"
    }
  }

  /// Without which it isn't taken.
  package var feature: CollectionConsent.Features {
    switch self {
    case .user: .users
    case .event: .events
    case .activity: .activity
    }
  }
}
