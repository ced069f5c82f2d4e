/// The app that an import or a population is for, as far as rows depend on it.
package struct ImportTarget: Sendable, Equatable {
  package let app: AppNumber
  package let environment: EnvironmentNumber
  package let platforms: [Platform]
  package let authMode: AuthMode
  /// The database's clock.
  package let now: Timestamp

  package init(
    app: AppNumber, environment: EnvironmentNumber, platforms: [Platform], authMode: AuthMode, now: Timestamp
  ) {
    self.app = app
    self.environment = environment
    self.platforms = platforms
    self.authMode = authMode
    self.now = now
  }
}
