extension IdentifierPolicy {
  /// The sources that it takes, best first (U4).
  package var sources: [IdentifierSource] {
    switch self {
    case .global: [.idfa, .idfv, .guid]
    case .cn, .strict: [.idfv, .guid]
    }
  }

  /// The first source in its order that is available.
  package func best(of reports: [IdentifierSource: IdentifierReport]) -> IdentifierSource? {
    sources.first { reports[$0]?.available == true }
  }
}

/// Why the identifiers of a state can't be taken in an environment.
package enum IdentifierRefusal: Sendable, Equatable {
  /// The policy (cn or strict) takes no idfa.
  case idfa(IdentifierPolicy)
  /// The environment takes hashes alone (U5).
  case raw
}
