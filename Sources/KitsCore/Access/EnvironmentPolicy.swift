/// How installations of an environment say who their user is (K17), and which device identifiers they may send (U4,
/// U5).
package struct EnvironmentPolicy: Sendable, Equatable {
  package let authMode: AuthMode
  /// Clients see VERIFIED and send tokens; a proof that fails is counted and still binds, unverified.
  package let shadow: Bool
  /// Rises with every change of mode or shadow.
  package let revision: Int64
  package let identifiers: IdentifierPolicy
  /// Device identifiers may come in the clear.
  package let rawIdentifiers: Bool

  package init(
    authMode: AuthMode, shadow: Bool, revision: Int64, identifiers: IdentifierPolicy, rawIdentifiers: Bool
  ) {
    self.authMode = authMode
    self.shadow = shadow
    self.revision = revision
    self.identifiers = identifiers
    self.rawIdentifiers = rawIdentifiers
  }

  /// What to change; nil stays as it is.
  package struct Change: Sendable, Equatable {
    package var authMode: AuthMode?
    package var shadow: Bool?
    package var identifiers: IdentifierPolicy?
    package var rawIdentifiers: Bool?
    /// Change nothing unless the policy has this revision.
    package var expectedRevision: Int64?
    /// Enforce tokens although no key could verify one.
    package var isForced = false

    package init() {}
  }

  /// What became of a change. Refused: nothing was changed.
  package enum Outcome: Int16, Sendable, CaseIterable {
    case applied = 0
    /// The policy has another revision than was expected.
    case revisionMoved = 1
    /// Only a VERIFIED environment has a shadow.
    case shadowNeedsVerified = 2
    /// Every login would fail: there is no key to verify a token with.
    case noIdentityKey = 3
  }
}
