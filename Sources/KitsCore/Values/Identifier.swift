package import FoundationEssentials

/// The public id of an `Entity`: a UUIDv7, printed in lower case.
package struct Identifier<Entity>: Hashable, Sendable {
  package let uuid: UUID

  package init(_ uuid: UUID) {
    self.uuid = uuid
  }

  /// `8-4-4-4-12` hexadecimal digits of either case; anything else is nil.
  package init?(parsing text: String) {
    guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else { return nil }
    self.uuid = uuid
  }

  package var text: String { uuid.uuidString.lowercased() }
}

extension Identifier: CustomStringConvertible {
  package var description: String { text }
}

/// The internal number of an `Entity`: dense, ordered by creation, never shown to a client.
package struct Number<Entity>: Hashable, Sendable {
  package let value: Int64

  package init(_ value: Int64) {
    self.value = value
  }
}

extension Number: Comparable {
  package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

/// Phantom entities that only name what an id belongs to.
package enum Project {}
package enum Environment {}
package enum App {}
package enum ServerKey {}
package enum Message {}
package enum Binding {}
package enum InstallationEntity {}
package enum IdentityOperationEntity {}

package typealias ProjectID = Identifier<Project>
package typealias EnvironmentID = Identifier<Environment>
package typealias AppID = Identifier<App>
package typealias ServerKeyID = Identifier<ServerKey>
package typealias MessageID = Identifier<Message>
package typealias BindingID = Identifier<Binding>
package typealias InstallationID = Identifier<InstallationEntity>
package typealias IdentityOperationID = Identifier<IdentityOperationEntity>

package typealias EnvironmentNumber = Number<Environment>
package typealias AppNumber = Number<App>
package typealias MessageNumber = Number<Message>
package typealias InstallationNumber = Number<InstallationEntity>
