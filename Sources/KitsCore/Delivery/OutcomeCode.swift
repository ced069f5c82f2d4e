/// What one outcome byte of a chunk means. The table `outcome_code` of the database says the same; a test compares
/// them.
package struct OutcomeCode: Hashable, Sendable {
  package let byte: UInt8

  package init(_ byte: UInt8) {
    self.byte = byte
  }

  /// Nothing happened yet.
  package static let none = OutcomeCode(0)
  /// APNs answered 200: accepted, which is not delivered.
  package static let accepted = OutcomeCode(1)
  /// A row of `delivery_retry` says when it is tried again.
  package static let inRetry = OutcomeCode(2)
  package static let noToken = OutcomeCode(3)
  package static let tokenInactive = OutcomeCode(4)
  package static let tokenMoved = OutcomeCode(5)
  package static let permissionDenied = OutcomeCode(6)
  package static let optedOut = OutcomeCode(7)
  package static let identityChanged = OutcomeCode(8)
  package static let deleted = OutcomeCode(9)
  package static let noProvider = OutcomeCode(10)
  package static let zonePast = OutcomeCode(11)
  package static let expired = OutcomeCode(16)
  package static let canceled = OutcomeCode(17)
  package static let unknown = OutcomeCode(18)
  /// Reasons of the push service start here; they live in the dictionary, so that new ones get a code.
  package static let firstReason = OutcomeCode(32)
  /// What a reason becomes when the dictionary is full.
  package static let otherReason = OutcomeCode(255)
}

/// The classes of the ledger.
package enum OutcomeClass: Int16, Sendable, CaseIterable {
  case pending = 0
  case accepted = 1
  case failed = 2
  case suppressed = 3
  case expired = 4
  case canceled = 5
  case unknown = 6

  package var name: String {
    switch self {
    case .pending: "pending"
    case .accepted: "accepted"
    case .failed: "failed"
    case .suppressed: "suppressed"
    case .expired: "expired"
    case .canceled: "canceled"
    case .unknown: "unknown"
    }
  }
}

extension OutcomeCode {
  /// The class of the code, as the dictionary has it.
  package var outcomeClass: OutcomeClass {
    switch self {
    case .none, .inRetry: .pending
    case .accepted: .accepted
    case .expired: .expired
    case .canceled: .canceled
    case .unknown: .unknown
    case _ where byte >= Self.firstReason.byte: .failed
    default: .suppressed
    }
  }
}
