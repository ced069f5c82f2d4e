/// One login or logout, as a device or a backend asks for it. The id of the binding that it may make is chosen before
/// it is queued, so that repeating it after a lost answer changes nothing.
package struct IdentityOperation: Sendable {
  package let caller: Caller
  package let installation: InstallationID
  package let id: IdentityOperationID
  package let wish: Wish
  package let expectedBinding: BindingID
  /// Nil when the caller doesn't care.
  package let expectedPolicyRevision: Int64?
  package let newBinding: BindingID

  package init(
    caller: Caller, installation: InstallationID, id: IdentityOperationID, wish: Wish, expectedBinding: BindingID,
    expectedPolicyRevision: Int64?, newBinding: BindingID
  ) {
    self.caller = caller
    self.installation = installation
    self.id = id
    self.wish = wish
    self.expectedBinding = expectedBinding
    self.expectedPolicyRevision = expectedPolicyRevision
    self.newBinding = newBinding
  }

  package enum Caller: Sendable {
    /// With what its device token says.
    case device(app: AppNumber, number: InstallationNumber, generation: Int32)
    /// A server key of the environment.
    case backend(EnvironmentNumber)
  }

  package enum Wish: Sendable {
    /// Nil when the user can't be read from the proof.
    case login(externalID: String?, by: Authority)
    case logout
  }

  package enum Kind: Int16, Sendable {
    case login = 1
    case logout = 2
  }

  /// Why a login may be believed.
  package enum Authority: Sendable {
    /// The client says so (K18).
    case claim
    /// A token of the customer's backend, and what was found about it (K19).
    case proof(ProofVerdict)
    /// The customer's backend itself (K28).
    case backend
  }

  /// What a proof is worth, as far as that needs no database.
  package struct ProofVerdict: Sendable {
    /// Why it is refused; nil when nothing is wrong with it.
    package let cause: String?
    /// The identity key that it names, when there is such a key.
    package let keyID: String?
    /// Seconds since 1970.
    package let issuedAt: Int64?

    package init(cause: String?, keyID: String?, issuedAt: Int64?) {
      self.cause = cause
      self.keyID = keyID
      self.issuedAt = issuedAt
    }
  }
}
