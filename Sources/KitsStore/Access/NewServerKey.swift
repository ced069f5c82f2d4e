package import KitsCore

/// A server key that is about to be created.
package struct NewServerKey: Sendable {
  package let id: ServerKeyID
  package let environment: EnvironmentID
  package let name: String
  /// SHA-256 of the key.
  package let hash: [UInt8]
  package let lastFour: String
  package let scopes: [Scope]
  /// At most that of who creates it.
  package let role: Role

  package init(
    id: ServerKeyID, environment: EnvironmentID, name: String, hash: [UInt8], lastFour: String, scopes: [Scope],
    role: Role
  ) {
    self.id = id
    self.environment = environment
    self.name = name
    self.hash = hash
    self.lastFour = lastFour
    self.scopes = scopes
    self.role = role
  }
}
