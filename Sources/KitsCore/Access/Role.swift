/// What a person of a project may do; a server key has the role of who created it, the command line is an owner (T3).
package enum Role: Int16, Sendable, CaseIterable {
  case owner = 1
  case administrator = 2
  case member = 3
  /// Sees the apps that were granted, and changes nothing.
  case external = 4

  package var name: String {
    switch self {
    case .owner: "owner"
    case .administrator: "administrator"
    case .member: "member"
    case .external: "external"
    }
  }
}

extension Role: Comparable {
  /// The one that may do more comes first.
  package static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
}
