/// A server key as lists show it: never the key itself.
package struct ServerKeyRecord: Sendable, Equatable {
  package let id: ServerKeyID
  package let environment: EnvironmentNumber
  package let name: String
  package let lastFour: String
  package let scopes: Set<Scope>
  package let createdAt: Timestamp
  package let revokedAt: Timestamp?

  package init(
    id: ServerKeyID, environment: EnvironmentNumber, name: String, lastFour: String, scopes: Set<Scope>,
    createdAt: Timestamp, revokedAt: Timestamp?
  ) {
    self.id = id
    self.environment = environment
    self.name = name
    self.lastFour = lastFour
    self.scopes = scopes
    self.createdAt = createdAt
    self.revokedAt = revokedAt
  }
}
