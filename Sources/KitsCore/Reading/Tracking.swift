/// What devices are asked to confirm of a message.
package struct Tracking: Sendable, Equatable {
  /// The app says RECEIVED and CLICKED (K9).
  package let events: Bool
  /// The notification service extension says RECEIVED, too (K13).
  package let receipts: Bool

  package init(events: Bool, receipts: Bool) {
    self.events = events
    self.receipts = receipts
  }
}
