package import KitsCore

/// What a caller is told when a message was created; the same again when the request is replayed.
package struct CreatedMessage: Sendable, Equatable {
  package let id: MessageID
  package let createdAt: Timestamp
  package let expiresAt: Timestamp
  package let unmatched: MessageRecord.Unmatched

  package init(id: MessageID, createdAt: Timestamp, expiresAt: Timestamp, unmatched: MessageRecord.Unmatched) {
    self.id = id
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.unmatched = unmatched
  }
}
