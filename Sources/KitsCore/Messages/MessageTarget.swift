/// Whom a message is for.
package enum MessageTarget: Sendable, Equatable {
  /// Named installations; unknown ones don't fail the call. At most `Limits.targetIDs`.
  case installations([InstallationID])
  /// Whatever is bound to these users when the message is created; unknown ones don't fail the call. At most
  /// `Limits.targetIDs`.
  case users([ExternalID])
  /// Every reachable installation of the app.
  case everyone
}

/// The sort of a target, as it is stored.
package enum MessageTargetKind: Int16, Sendable, CaseIterable {
  case installations = 1
  case everyone = 2
  case users = 3

  package var name: String {
    switch self {
    case .installations: "installation_ids"
    case .everyone: "everyone"
    case .users: "external_ids"
    }
  }
}

extension MessageTarget {
  package var kind: MessageTargetKind {
    switch self {
    case .installations: .installations
    case .users: .users
    case .everyone: .everyone
    }
  }

  /// Whether only verified bindings are sent to when the caller doesn't say: where a user must be proven, a message for
  /// a user is for whoever proved to be that user.
  package func isVerifiedOnly(whereProofIsEnforced isEnforced: Bool) -> Bool {
    kind == .users && isEnforced
  }
}
