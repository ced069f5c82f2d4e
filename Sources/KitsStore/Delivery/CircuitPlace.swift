package import KitsCore

/// One app in one APNs environment.
package struct CircuitPlace: Sendable, Hashable {
  package let app: AppNumber
  package let environment: APNsEnvironment

  package init(app: AppNumber, environment: APNsEnvironment) {
    self.app = app
    self.environment = environment
  }
}

package struct CircuitStanding: Sendable, Equatable {
  package let isOpen: Bool
  package let epoch: Int32
  /// Those of the suspects that a message was accepted for since their token was registered.
  package let proven: Set<InstallationNumber>
}

package struct CircuitSuspect: Sendable, Hashable {
  package let installation: InstallationNumber
  package let token: String

  package init(installation: InstallationNumber, token: String) {
    self.installation = installation
    self.token = token
  }
}

/// What resuming an app did.
package struct Resumption: Sendable, Equatable {
  package let circuits: Int32
  /// Tokens that are active again.
  package let tokens: Int32
  /// Deliveries that are due at once.
  package let retries: Int32
}
