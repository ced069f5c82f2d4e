/// An installation that another system knew, as a row of its file tells: what its device would say when it registers,
/// and what the device could not say on its own. Its binding is never verified, whoever wrote the file.
package struct ImportedInstallation: Sendable, Equatable {
  package let platform: Platform
  /// What finds an installation again: a file that comes twice adds nothing.
  package let pushToken: PushToken
  /// Everything that the SDK may say about itself, the push token included.
  package let state: DesiredState
  package let externalID: ExternalID?
  /// Each key once.
  package let tags: [Tag]
  package let sessions: Sessions

  package init(
    platform: Platform, pushToken: PushToken, state: DesiredState, externalID: ExternalID?, tags: [Tag],
    sessions: Sessions
  ) {
    self.platform = platform
    self.pushToken = pushToken
    self.state = state
    self.externalID = externalID
    self.tags = tags
    self.sessions = sessions
  }

  package struct Tag: Sendable, Equatable {
    package let key: TagKey
    package let value: String

    package init(_ key: TagKey, _ value: String) {
      self.key = key
      self.value = value
    }
  }

  /// The totals that its device would have reported.
  package struct Sessions: Sendable, Equatable {
    package let firstAt: Timestamp?
    package let lastAt: Timestamp?
    package let count: Int64
    package let foregroundSeconds: Int64

    package init(firstAt: Timestamp?, lastAt: Timestamp?, count: Int64, foregroundSeconds: Int64) {
      self.firstAt = firstAt
      self.lastAt = lastAt
      self.count = count
      self.foregroundSeconds = foregroundSeconds
    }
  }
}
