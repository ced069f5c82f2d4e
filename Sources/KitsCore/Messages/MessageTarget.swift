/// Whom a message is for.
package enum MessageTarget: Sendable, Equatable {
  /// Named installations; unknown ones don't fail the call. At most `Limits.targetIDs`.
  case installations([InstallationID])
  /// Whatever is bound to these users when the message is created; unknown ones don't fail the call. At most
  /// `Limits.targetIDs`.
  case users([ExternalID])
  /// Every reachable installation of the app.
  case everyone
  /// Whoever matches one of these segments when planning starts. At most `Limits.segmentsPerAudience`, each once.
  case segments([SegmentID])
  /// Whoever matches when planning starts.
  case filter(Filter)
  /// The devices that an administrator marked for trying (K8).
  case testDevices
}

/// The sort of a target, as it is stored.
package enum MessageTargetKind: Int16, Sendable, CaseIterable {
  case installations = 1
  case everyone = 2
  case users = 3
  case segments = 4
  case filter = 5
  case testDevices = 6

  package var name: String {
    switch self {
    case .installations: "installation_ids"
    case .everyone: "everyone"
    case .users: "external_ids"
    case .segments: "segment_ids"
    case .filter: "filter"
    case .testDevices: "test_devices"
    }
  }
}

extension MessageTarget {
  package var kind: MessageTargetKind {
    switch self {
    case .installations: .installations
    case .users: .users
    case .everyone: .everyone
    case .segments: .segments
    case .filter: .filter
    case .testDevices: .testDevices
    }
  }

  /// Whether who is bound to a device decides whether it is meant, as far as the target itself tells: what segments
  /// ask for stands with them.
  package var dependsOnUser: Bool {
    switch self {
    case .users: true
    case .filter(let filter): filter.dependsOnUser
    case .installations, .everyone, .segments, .testDevices: false
    }
  }
}
