/// What may be collected from a device (K2). Switching collection off as a whole keeps what was switched off singly.
package struct CollectionConsent: Hashable, Sendable {
  package var enabled: Bool
  package var features: Features

  package init(enabled: Bool, features: Features) {
    self.enabled = enabled
    self.features = features
  }

  package struct Features: OptionSet, Hashable, Sendable {
    package let rawValue: Int16

    package init(rawValue: Int16) {
      self.rawValue = rawValue
    }

    package static let users = Features(rawValue: 1)
    package static let events = Features(rawValue: 2)
    package static let activity = Features(rawValue: 4)
    package static let notificationEvents = Features(rawValue: 8)
    package static let all: Features = [.users, .events, .activity, .notificationEvents]
  }
}
