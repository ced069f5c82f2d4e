/// Which deliveries of a message a list shows.
package struct DeliverySelection: Sendable, Equatable {
  package let outcome: OutcomeClass?
  package let reason: String?
  package let event: EventTest?

  package init(outcome: OutcomeClass? = nil, reason: String? = nil, event: EventTest? = nil) {
    self.outcome = outcome
    self.reason = reason
    self.event = event
  }

  /// Whether something of one type was recorded of a delivery.
  package struct EventTest: Sendable, Equatable {
    package let type: EventType
    package let isThere: Bool

    package init(_ type: EventType, isThere: Bool) {
      self.type = type
      self.isThere = isThere
    }
  }

  /// As the tables number them.
  package enum EventType: Int16, Sendable {
    case received = 1
    case clicked = 2
  }
}
