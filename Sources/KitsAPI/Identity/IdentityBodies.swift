internal import JSON
internal import KitsCore

/// What every change of an identity says beside who the user is. These bodies are strict: a misspelt or empty member
/// must not log anyone out.
struct IdentityChange: Sendable {
  let expectedBinding: BindingID
  let operation: IdentityOperationID
  var expectedPolicyRevision: Int64?
}

/// `IdentityRequest` of the contract: what a device sends.
struct IdentityRequest: Sendable {
  let change: IdentityChange
  let user: User

  enum User: Sendable {
    case token(String)
    case externalID(ExternalID)
    case none
  }

  init(_ body: JSONValue) throws(Problem) {
    let faults = FaultCollector()
    let object = ObjectReader(body, into: faults)
    var change = object.identityChange()
    change?.expectedPolicyRevision = object.integer("expected_policy_revision", in: Limits.policyRevision)
    // Any length: what is too long for a token is counted with the other causes.
    let token = object.string("token", bytes: 0...Limits.bodyBytes)
    let externalID = object.member("external_id").flatMap { $0.externalID() }
    if object.has("token"), object.has("external_id") {
      object.refuse("external_id", .conflict, "Give only one of token and external_id.")
    }
    object.refuseUnknown()
    if let problem = Problem(faults) { throw problem }
    guard let change else { throw .internalFault("an identity change was neither read nor refused") }
    self.change = change
    user = token.map(User.token) ?? externalID.map(User.externalID) ?? .none
  }
}

/// `IdentifyRequest` of the contract: a login by a backend.
struct IdentifyRequest: Sendable {
  let change: IdentityChange
  let externalID: ExternalID

  init(_ body: JSONValue) throws(Problem) {
    let faults = FaultCollector()
    let object = ObjectReader(body, into: faults)
    let change = object.identityChange()
    let externalID = object.requiredMember("external_id")?.externalID()
    object.refuseUnknown()
    if let problem = Problem(faults) { throw problem }
    guard let change, let externalID else { throw .internalFault("an identify was neither read nor refused") }
    self.change = change
    self.externalID = externalID
  }
}

/// `LogoutRequest` of the contract: a logout by a backend.
struct LogoutRequest: Sendable {
  let change: IdentityChange

  init(_ body: JSONValue) throws(Problem) {
    let faults = FaultCollector()
    let object = ObjectReader(body, into: faults)
    let change = object.identityChange()
    object.refuseUnknown()
    if let problem = Problem(faults) { throw problem }
    guard let change else { throw .internalFault("a logout was neither read nor refused") }
    self.change = change
  }
}

/// `IdentityTokenRequest` of the contract: what a legacy proof is to be good for.
struct LegacyProofRequest: Sendable {
  let installation: InstallationID
  let change: IdentityChange
  let externalID: ExternalID
  let ttlSeconds: Int64

  init(_ body: JSONValue) throws(Problem) {
    let faults = FaultCollector()
    let object = ObjectReader(body, into: faults)
    let installation = object.requiredUUID("installation_id")
    let change = object.identityChange()
    let externalID = object.requiredMember("external_id")?.externalID()
    ttlSeconds =
      object.integer("ttl_seconds", in: Limits.legacyProofSeconds) ?? Limits.legacyProofSeconds.upperBound
    object.refuseUnknown()
    if let problem = Problem(faults) { throw problem }
    guard let installation, let change, let externalID else {
      throw .internalFault("a proof was neither read nor refused")
    }
    self.installation = InstallationID(installation)
    self.change = change
    self.externalID = externalID
  }
}

extension ObjectReader {
  /// Nil when it is refused.
  fileprivate func identityChange() -> IdentityChange? {
    let binding = requiredUUID("expected_binding_id")
    let operation = requiredUUID("operation_id")
    guard let binding, let operation else { return nil }
    return IdentityChange(expectedBinding: BindingID(binding), operation: IdentityOperationID(operation))
  }
}
