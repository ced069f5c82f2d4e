package import KitsCore

/// Which messages of an environment a list shows.
package struct MessageSelection: Sendable {
  package let environment: EnvironmentNumber
  package let app: AppID?
  package let state: MessageState?
  /// Only messages that a pause holds, or only others; nil for both.
  package let isPaused: Bool?
  /// Where the page before ended; ids are in the order of creation.
  package let before: MessageID?

  package init(
    environment: EnvironmentNumber, app: AppID?, state: MessageState?, isPaused: Bool? = nil, before: MessageID?
  ) {
    self.environment = environment
    self.app = app
    self.state = state
    self.isPaused = isPaused
    self.before = before
  }
}
