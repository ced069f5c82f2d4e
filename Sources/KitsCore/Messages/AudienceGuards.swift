/// What must hold of a message's recipients before anything is sent to one of them.
package struct AudienceGuards: Sendable, Equatable {
  /// More recipients refuse the message.
  package let maxRecipients: Int64?
  package let expected: ExpectedAudience?

  package static let none = AudienceGuards(maxRecipients: nil, expected: nil)

  package init(maxRecipients: Int64?, expected: ExpectedAudience?) {
    self.maxRecipients = maxRecipients
    self.expected = expected
  }
}

/// The recipients that a preview found: others refuse the message.
package struct ExpectedAudience: Sendable, Equatable {
  package let digest: AudienceDigest
  package let count: Int64?

  package init(digest: AudienceDigest, count: Int64?) {
    self.digest = digest
    self.count = count
  }
}

/// Why nothing of a message was sent, and what was found instead.
package struct MessageRefusal: Sendable, Equatable {
  package let reason: Reason
  /// How many recipients were counted until then. Counting ends with the first one too many.
  package let foundCount: Int64
  /// Nil unless everyone was counted and a digest was expected.
  package let foundDigest: AudienceDigest?
  package let at: Timestamp

  package init(reason: Reason, foundCount: Int64, foundDigest: AudienceDigest?, at: Timestamp) {
    self.reason = reason
    self.foundCount = foundCount
    self.foundDigest = foundDigest
    self.at = at
  }

  package enum Reason: Int16, Sendable, CaseIterable {
    case maxRecipientsExceeded = 1
    case audienceChanged = 2
    case segmentDeleted = 3

    /// Part of the API.
    package var code: String {
      switch self {
      case .maxRecipientsExceeded: "MAX_RECIPIENTS_EXCEEDED"
      case .audienceChanged: "AUDIENCE_CHANGED"
      case .segmentDeleted: "SEGMENT_DELETED"
      }
    }
  }
}
