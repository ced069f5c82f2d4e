/// A filter with a name, kept for an app.
package struct Segment: Sendable, Equatable {
  package let id: SegmentID
  package let app: AppID
  package let name: String
  package let filter: Filter
  /// False: only installations that are bound to a user.
  package let includesAnonymous: Bool
  /// Rises with every change.
  package let revision: Int64
  package let createdAt: Timestamp
  package let updatedAt: Timestamp

  package init(
    id: SegmentID, app: AppID, name: String, filter: Filter, includesAnonymous: Bool, revision: Int64,
    createdAt: Timestamp, updatedAt: Timestamp
  ) {
    self.id = id
    self.app = app
    self.name = name
    self.filter = filter
    self.includesAnonymous = includesAnonymous
    self.revision = revision
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

  /// Whom it is for, all told.
  package var audience: Filter { includesAnonymous ? filter : filter.ofIdentifiedOnly }
}

package enum SegmentEntity {}
package typealias SegmentID = Identifier<SegmentEntity>

/// What a caller says of a segment.
package struct SegmentDefinition: Sendable, Equatable {
  package let name: String
  package let filter: Filter
  package let includesAnonymous: Bool

  package init(name: String, filter: Filter, includesAnonymous: Bool) {
    self.name = name
    self.filter = filter
    self.includesAnonymous = includesAnonymous
  }
}

/// A message that still needs a segment: it is not planned yet.
package struct SegmentUse: Sendable, Equatable {
  package let message: MessageID
  package let createdAt: Timestamp
  /// Its recipients are left out, not sent to.
  package let isExcluded: Bool

  package init(message: MessageID, createdAt: Timestamp, isExcluded: Bool) {
    self.message = message
    self.createdAt = createdAt
    self.isExcluded = isExcluded
  }
}
