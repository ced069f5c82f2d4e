package enum FeedEventEntity {}
package typealias EventID = Identifier<FeedEventEntity>

/// Something that happened, with its place in the feed. It never changes.
package struct FeedEvent: Sendable, Equatable {
  package let id: EventID
  package let app: AppNumber
  package let number: Int64
  package let type: EventType
  package let at: Timestamp
  /// A JSON object.
  package let data: [UInt8]

  package init(id: EventID, app: AppNumber, number: Int64, type: EventType, at: Timestamp, data: [UInt8]) {
    self.id = id
    self.app = app
    self.number = number
    self.type = type
    self.at = at
    self.data = data
  }
}
