package import KitsCore

/// What may share a connection: APNs binds a connection to the team (and key) of its first push.
package struct APNsPoolKey: Hashable, Sendable, CustomStringConvertible {
  package let teamID: String
  package let keyID: String
  package let environment: APNsEnvironment

  package init(teamID: String, keyID: String, environment: APNsEnvironment) {
    self.teamID = teamID
    self.keyID = keyID
    self.environment = environment
  }

  package var description: String { "\(teamID)/\(keyID)/\(environment)" }
}
