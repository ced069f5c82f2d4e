/// What devices confirmed of a message. It never changes what the ledger says (K11).
package struct Engagement: Sendable, Equatable {
  package let tracking: Tracking
  package let received: Int64
  package let clicked: Int64

  package init(tracking: Tracking, received: Int64, clicked: Int64) {
    self.tracking = tracking
    self.received = received
    self.clicked = clicked
  }

  /// Of how many deliveries a confirmation could come at most: whatever the device may have. That is what the push
  /// service took, and what it may have taken. Whether a device consents isn't known here.
  ///
  /// Without receipts a device that shows the notification while the app is away says nothing, so RECEIVED has no base
  /// that a share could be taken of.
  package func couldConfirm(_ ledger: Ledger) -> (received: Int64?, clicked: Int64)? {
    guard tracking.events else { return nil }
    // A device can answer before the push service's answer is written down; whoever confirmed could.
    let most = max(ledger.accepted + ledger.unknown, received, clicked)
    return (received: tracking.receipts ? most : nil, clicked: most)
  }
}
