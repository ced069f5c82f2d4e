/// Whom a segment or message is for: a tree of conditions on installations (K8). Every installation matches or doesn't;
/// there is no third answer, so `not` is the exact opposite.
package indirect enum Filter: Sendable, Equatable {
  /// Without any it matches everyone.
  case all([Filter])
  /// Without any it matches nobody.
  case any([Filter])
  case not(Filter)
  case condition(FilterCondition)

  package static let everyone = Filter.all([])

  /// Whoever matches one of `included` and none of `excluded`.
  package static func audience(of included: [Filter], excluding excluded: [Filter] = []) -> Filter {
    let wanted = included.count == 1 ? included[0] : .any(included)
    return excluded.isEmpty ? wanted : .all([wanted, .not(.any(excluded))])
  }

  /// The same, of users alone.
  package var ofIdentifiedOnly: Filter { .all([self, .condition(.identified(true))]) }

  /// Whether a change of the user could change the answer: such a message must not reach the next one (its deliveries
  /// are fenced).
  package var dependsOnUser: Bool {
    switch self {
    case .all(let parts), .any(let parts): parts.contains(where: \.dependsOnUser)
    case .not(let part): part.dependsOnUser
    case .condition(let condition): condition.dependsOnUser
    }
  }

  /// The longest way from here to a leaf, both counted.
  package var depth: Int {
    switch self {
    case .all(let parts), .any(let parts): 1 + (parts.map(\.depth).max() ?? 0)
    case .not(let part): 1 + part.depth
    case .condition: 1
    }
  }

  /// Conditions and empty groups.
  package var leaves: Int {
    switch self {
    case .all(let parts), .any(let parts): parts.isEmpty ? 1 : parts.reduce(0) { $0 + $1.leaves }
    case .not(let part): part.leaves
    case .condition: 1
    }
  }
}

extension FilterCondition {
  /// Tags and events belong to the binding and go with it.
  fileprivate var dependsOnUser: Bool {
    switch self {
    case .tag, .tagOrder, .identified, .text(.externalID, _), .exists(.tag, _),
      .exists(.text(.externalID), _), .event:
      true
    case .version, .versionOrder, .language, .session, .count, .platform, .text(.timeZone, _), .exists: false
    }
  }
}
