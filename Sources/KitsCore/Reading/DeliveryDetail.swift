/// All that is known of one delivery.
package struct DeliveryDetail: Sendable, Equatable {
  package let standing: DeliveryStanding
  /// Under which binding it was chosen, of a fenced message.
  package let plannedBinding: Int64?
  /// What the push service said last; nil when that isn't kept, as of a first attempt that was the only one.
  package let answer: Answer?
  /// When it is tried again; nil when it isn't.
  package let nextAttemptAt: Timestamp?
  /// When the first and the last outcome of its chunk was written.
  package let chunkTimes: ChunkTimes
  package let received: Confirmation?
  package let clicked: Confirmation?

  package init(
    standing: DeliveryStanding, plannedBinding: Int64?, answer: Answer?, nextAttemptAt: Timestamp?,
    chunkTimes: ChunkTimes, received: Confirmation?, clicked: Confirmation?
  ) {
    self.standing = standing
    self.plannedBinding = plannedBinding
    self.answer = answer
    self.nextAttemptAt = nextAttemptAt
    self.chunkTimes = chunkTimes
    self.received = received
    self.clicked = clicked
  }

  package struct Answer: Sendable, Equatable {
    /// The HTTP status; nil when there was no answer.
    package let status: Int32?
    package let reason: String

    package init(status: Int32?, reason: String) {
      self.status = status
      self.reason = reason
    }
  }

  package struct ChunkTimes: Sendable, Equatable {
    package let first: Timestamp?
    package let last: Timestamp?

    package init(first: Timestamp?, last: Timestamp?) {
      self.first = first
      self.last = last
    }
  }

  /// What a device confirmed.
  package struct Confirmation: Sendable, Equatable {
    /// The server's time.
    package let receivedAt: Timestamp
    /// The device's own.
    package let occurredAt: Timestamp?
    package let source: Source

    package init(receivedAt: Timestamp, occurredAt: Timestamp?, source: Source) {
      self.receivedAt = receivedAt
      self.occurredAt = occurredAt
      self.source = source
    }
  }

  /// Who said it, as the table numbers them.
  package enum Source: Int16, Sendable, CaseIterable {
    case app = 1
    case notificationExtension = 2

    package var name: String { self == .app ? "app" : "extension" }
  }
}
