/// What never changes about an app, so that a node may keep it: its environment, and the id that tokens name as `iss`.
package struct AppHome: Sendable, Equatable {
  package let environment: EnvironmentNumber
  package let id: AppID

  package init(environment: EnvironmentNumber, id: AppID) {
    self.environment = environment
    self.id = id
  }
}
