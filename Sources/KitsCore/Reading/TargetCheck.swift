/// One thing that an installation needs to become a member of a message, looked at as the installation is now: how it
/// was when the message was planned isn't kept.
package struct TargetCheck: Sendable, Equatable {
  package let kind: Kind
  /// Nil when it can't be told any more.
  package let passes: Bool?
  /// Of the audience: what decided against it.
  package let clauses: [FilterClause]

  package init(_ kind: Kind, _ passes: Bool?, clauses: [FilterClause] = []) {
    self.kind = kind
    self.passes = passes
    self.clauses = clauses
  }

  package enum Kind: String, Sendable, CaseIterable {
    /// It is of the message's app.
    case app
    /// It was registered before the message started.
    case registered
    /// The message names it, or its user.
    case named
    /// It matches the filter that the message was planned with.
    case audience
    /// It is marked as a test device.
    case testDevice = "test_device"
    /// Its user was proven.
    case verified
    /// There is a push service for it.
    case platform
    /// It has an active push token, and no other installation took that over.
    case token
    /// The system lets it show pushes.
    case permission
    /// Its user wants pushes.
    case pushPreference = "push_preference"
  }
}
