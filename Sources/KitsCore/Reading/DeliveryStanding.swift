/// What became of a delivery.
package struct DeliveryStanding: Sendable, Equatable {
  package let outcome: OutcomeClass
  package let reason: String
  /// How often it was handed to the push service, or may have been.
  package let attempts: Int32
  /// It was sent again after an attempt whose end is unknown.
  package let isResent: Bool
  /// When the server received RECEIVED and CLICKED.
  package let receivedAt: Timestamp?
  package let clickedAt: Timestamp?

  package init(
    outcome: OutcomeClass, reason: String, attempts: Int32, isResent: Bool, receivedAt: Timestamp?,
    clickedAt: Timestamp?
  ) {
    self.outcome = outcome
    self.reason = reason
    self.attempts = attempts
    self.isResent = isResent
    self.receivedAt = receivedAt
    self.clickedAt = clickedAt
  }
}
