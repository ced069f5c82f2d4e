/// An event that an endpoint didn't take yet.
package struct WebhookDelivery: Sendable, Equatable {
  package let event: FeedEvent
  package let state: State
  package let attempts: Int32
  /// Nil while it waits behind an earlier event of the same message.
  package let nextAttemptAt: Timestamp?
  package let firstAttemptAt: Timestamp?
  package let lastAttemptAt: Timestamp?
  /// The HTTP status of the last answer; 0 when there was none.
  package let lastStatus: Int32
  package let lastProblem: String?

  package init(
    event: FeedEvent, state: State, attempts: Int32, nextAttemptAt: Timestamp?, firstAttemptAt: Timestamp?,
    lastAttemptAt: Timestamp?, lastStatus: Int32, lastProblem: String?
  ) {
    self.event = event
    self.state = state
    self.attempts = attempts
    self.nextAttemptAt = nextAttemptAt
    self.firstAttemptAt = firstAttemptAt
    self.lastAttemptAt = lastAttemptAt
    self.lastStatus = lastStatus
    self.lastProblem = lastProblem
  }

  package enum State: Int16, Sendable, CaseIterable {
    /// Becomes dead after three days, or goes when it was delivered.
    case pending = 1
    /// Given up. Becomes pending when somebody asks for it.
    case dead = 2

    package var name: String { self == .pending ? "pending" : "dead" }
    package static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
  }
}
