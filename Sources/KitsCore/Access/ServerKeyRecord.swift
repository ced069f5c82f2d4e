/// A server key as lists show it: never the key itself.
package struct ServerKeyRecord: Sendable, Equatable {
  package let id: ServerKeyID
  package let environment: EnvironmentNumber
  package let name: String
  package let lastFour: String
  package let scopes: Set<Scope>
  /// Of who created it.
  package let role: Role
  package let createdAt: Timestamp
  package let revokedAt: Timestamp?

  package init(
    id: ServerKeyID, environment: EnvironmentNumber, name: String, lastFour: String, scopes: Set<Scope>, role: Role,
    createdAt: Timestamp, revokedAt: Timestamp?
  ) {
    self.id = id
    self.environment = environment
    self.name = name
    self.lastFour = lastFour
    self.scopes = scopes
    self.role = role
    self.createdAt = createdAt
    self.revokedAt = revokedAt
  }
}
