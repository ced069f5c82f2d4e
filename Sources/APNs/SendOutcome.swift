/// How one notification ended. A send doesn't throw: a rejection is an answer.
package enum SendOutcome: Sendable, Equatable {
  /// 200: APNs took it. That says nothing about delivery.
  case accepted
  case rejected(APNsRejection)
  /// APNs can't have acted on it; sending it again doubles nothing.
  case notSent(NotSentCause)
  /// APNs may or may not have acted on it.
  case unknown(UnknownCause)
}

package struct APNsRejection: Sendable, Equatable {
  package let status: Int
  package let reason: APNsReason
  /// Only with 410: when APNs confirmed the token invalid, in milliseconds since 1970.
  package let timestampMilliseconds: Int64?

  package init(status: Int, reason: APNsReason, timestampMilliseconds: Int64? = nil) {
    self.status = status
    self.reason = reason
    self.timestampMilliseconds = timestampMilliseconds
  }

  package var reasonClass: ReasonClass { APNsReason.classify(status: status, reason: reason) }
}

package enum NotSentCause: Sendable, Hashable {
  case leaseExpired
  /// Its time ran out in the queue.
  case deadline
  /// No connection could be made; `code` is libcurl's result.
  case noConnection(code: Int)
  case queueFull
  /// A value can't go on the wire.
  case invalidRequest
  case stopped
}

package enum UnknownCause: Sendable, Hashable {
  /// No answer in time.
  case deadline
  /// The whole connection fell silent and was dropped.
  case silence
  case connectionLost(code: Int)
  case streamReset
  case stopped
}
