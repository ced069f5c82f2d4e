/// What was sent to an installation lately, the newest first.
package struct InstallationHistory: Sendable, Equatable {
  package let deliveries: [Entry]
  /// Every delivery of a message that started since then is in the list; nil when that is true of all that is kept.
  package let completeSince: Timestamp?
  /// How many messages to more than one device were looked through.
  package let largerMessages: Int32

  package init(deliveries: [Entry], completeSince: Timestamp?, largerMessages: Int32) {
    self.deliveries = deliveries
    self.completeSince = completeSince
    self.largerMessages = largerMessages
  }

  package struct Entry: Sendable, Equatable {
    package let message: MessageID
    package let title: String?
    package let state: MessageState
    package let startedAt: Timestamp?
    package let standing: DeliveryStanding

    package init(
      message: MessageID, title: String?, state: MessageState, startedAt: Timestamp?, standing: DeliveryStanding
    ) {
      self.message = message
      self.title = title
      self.state = state
      self.startedAt = startedAt
      self.standing = standing
    }
  }
}
