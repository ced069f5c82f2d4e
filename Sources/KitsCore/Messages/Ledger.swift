/// Where a message's recipients stand. Always adds up: targeted is the sum of the others.
package struct Ledger: Sendable, Equatable {
  package let targeted: Int64
  package let pending: Int64
  package let accepted: Int64
  package let failed: Int64
  package let suppressed: Int64
  package let expired: Int64
  package let canceled: Int64
  package let unknown: Int64

  /// Counts by class; what was targeted is told apart, so that a mismatch shows.
  package init(targeted: Int64, reasons: [ReasonCount]) {
    self.targeted = targeted
    func sum(_ outcomeClass: OutcomeClass) -> Int64 {
      reasons.lazy.filter { $0.outcomeClass == outcomeClass }.reduce(0) { $0 &+ $1.count }
    }
    pending = sum(.pending)
    accepted = sum(.accepted)
    failed = sum(.failed)
    suppressed = sum(.suppressed)
    expired = sum(.expired)
    canceled = sum(.canceled)
    unknown = sum(.unknown)
  }

  package var addsUp: Bool {
    targeted == pending + accepted + failed + suppressed + expired + canceled + unknown
  }

  /// How many recipients have one outcome.
  package struct ReasonCount: Sendable, Equatable {
    package let outcomeClass: OutcomeClass
    package let reason: String
    package let count: Int64

    package init(outcomeClass: OutcomeClass, reason: String, count: Int64) {
      self.outcomeClass = outcomeClass
      self.reason = reason
      self.count = count
    }
  }
}
