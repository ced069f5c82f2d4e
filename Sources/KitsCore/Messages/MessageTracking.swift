/// What a message asks to be told of its deliveries (K9, K13). Nothing is the default, and stays it.
package struct MessageTracking: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// RECEIVED and CLICKED, reported by the app (`track_events`).
  package static let events = MessageTracking(rawValue: 1)
  /// RECEIVED, reported by the notification service extension (`track_receipts`). Only together with `events`.
  package static let receipts = MessageTracking(rawValue: 2)

  package init(events: Bool, receipts: Bool) {
    self = []
    if events { insert(.events) }
    if receipts { insert(.receipts) }
  }
}
