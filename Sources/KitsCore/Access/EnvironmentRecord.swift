/// An environment: the policy that its apps share.
package struct EnvironmentRecord: Sendable, Equatable {
  package let number: EnvironmentNumber
  package let id: EnvironmentID
  package let project: ProjectID
  package let name: String
  package let policy: EnvironmentPolicy
  package let apps: [App]

  package init(
    number: EnvironmentNumber, id: EnvironmentID, project: ProjectID, name: String, policy: EnvironmentPolicy,
    apps: [App]
  ) {
    self.number = number
    self.id = id
    self.project = project
    self.name = name
    self.policy = policy
    self.apps = apps
  }

  package struct App: Sendable, Equatable {
    package let id: AppID
    package let name: String

    package init(id: AppID, name: String) {
      self.id = id
      self.name = name
    }
  }
}
