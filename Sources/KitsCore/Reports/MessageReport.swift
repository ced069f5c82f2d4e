/// The messages of an app over time, by when they were started.
package struct MessageReport: Sendable, Equatable {
  package enum Interval: Int16, Sendable, CaseIterable {
    case hour = 1
    case day = 2
  }

  package struct Counts: Sendable, Equatable {
    package let messages: Int64
    /// Recipients, and where they stand.
    package let ledger: Ledger
    /// Deliveries that were reported as received, and as clicked, until now.
    package let received: Int64
    package let clicked: Int64

    package init(messages: Int64, ledger: Ledger, received: Int64, clicked: Int64) {
      self.messages = messages
      self.ledger = ledger
      self.received = received
      self.clicked = clicked
    }
  }

  package struct Step: Sendable, Equatable {
    package let start: Timestamp
    package let counts: Counts

    package init(start: Timestamp, counts: Counts) {
      self.start = start
      self.counts = counts
    }
  }

  package let interval: Interval
  /// When counting was last up to date; nil when it never was.
  package let asOf: Timestamp?
  /// Every one from the first to the last.
  package let steps: [Step]

  package init(interval: Interval, asOf: Timestamp?, steps: [Step]) {
    self.interval = interval
    self.asOf = asOf
    self.steps = steps
  }
}
