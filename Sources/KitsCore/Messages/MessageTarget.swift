/// Whom a message is for.
package enum MessageTarget: Sendable, Equatable {
  /// Named installations; unknown ones don't fail the call. At most `Limits.targetInstallations`.
  case installations([InstallationID])
  /// Every reachable installation of the app.
  case everyone
}

/// The sort of a target, as it is stored.
package enum MessageTargetKind: Int16, Sendable, CaseIterable {
  case installations = 1
  case everyone = 2

  package var name: String { self == .installations ? "installation_ids" : "everyone" }
}

extension MessageTarget {
  package var kind: MessageTargetKind {
    switch self {
    case .installations: .installations
    case .everyone: .everyone
    }
  }
}
