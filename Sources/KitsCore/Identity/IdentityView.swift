/// The binding and the policy of an installation, of one moment.
package struct IdentityView: Sendable, Equatable {
  package let binding: BindingState
  package let authMode: AuthMode
  package let policyRevision: Int64
  /// What became of the operation that was asked for; nil when it is not known.
  package let operation: Operation?

  package init(binding: BindingState, authMode: AuthMode, policyRevision: Int64, operation: Operation?) {
    self.binding = binding
    self.authMode = authMode
    self.policyRevision = policyRevision
    self.operation = operation
  }

  package struct Operation: Sendable, Equatable {
    package let isConflict: Bool
    /// As it was answered.
    package let binding: BindingState

    package init(isConflict: Bool, binding: BindingState) {
      self.isConflict = isConflict
      self.binding = binding
    }
  }
}
