/// What became of a login or logout.
package enum IdentityAnswer: Sendable, Equatable {
  case done(Result, Standing)
  /// Another binding or another policy revision than the expected one; stored like `done`, so that it stays the answer.
  case conflict(Standing)
  /// The operation id was used for something else.
  case operationReused
  /// The login is of the other mode.
  case authModeChanged(AuthMode, policyRevision: Int64)
  case proofRefused(cause: String)
  /// The installation is gone, or the device token is of an older generation.
  case gone

  package enum Result: String, Sendable, CaseIterable {
    case bound
    case unchanged
    case loggedOut = "logged_out"
  }

  /// The binding and the policy as they were answered when the operation was decided.
  package struct Standing: Sendable, Equatable {
    package let binding: BindingState
    package let policyRevision: Int64
    package let isReplay: Bool
    /// Why the proof would have been refused, had the policy not been in shadow.
    package let overlooked: String?

    package init(binding: BindingState, policyRevision: Int64, isReplay: Bool, overlooked: String?) {
      self.binding = binding
      self.policyRevision = policyRevision
      self.isReplay = isReplay
      self.overlooked = overlooked
    }
  }
}
