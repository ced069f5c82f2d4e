package import FoundationEssentials
package import KitsCore

/// What a device tells of its user and of what the user does, in one request.
package struct ActivityReport: Sendable {
  package let app: AppNumber
  package let installation: InstallationNumber
  package let generation: Int32
  package let records: [Record]

  package init(app: AppNumber, installation: InstallationNumber, generation: Int32, records: [Record]) {
    self.app = app
    self.installation = installation
    self.generation = generation
    self.records = records
  }

  package struct Record: Sendable {
    /// Made by the device.
    package let id: UUID
    package let type: ActivityType
    package let name: String
    /// A JSON object.
    package let properties: [UInt8]
    /// By the device's clock.
    package let occurredAt: Timestamp

    package init(id: UUID, type: ActivityType, name: String, properties: [UInt8], occurredAt: Timestamp) {
      self.id = id
      self.type = type
      self.name = name
      self.properties = properties
      self.occurredAt = occurredAt
    }
  }

  package enum Answer: Sendable, Equatable {
    /// One for each record, in their order.
    case records([ActivityAnswer])
    /// The installation is gone, or its device token is of an older generation.
    case gone
  }
}

/// What became of one record.
package enum ActivityAnswer: Int16, Sendable, CaseIterable {
  case recorded = 1
  /// A record with this id came before.
  case duplicate = 2
  case collectionOff = 3
  /// Its name is new, and the app has as many as it may have.
  case nameLimitReached = 4
}
