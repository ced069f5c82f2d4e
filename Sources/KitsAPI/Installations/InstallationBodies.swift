internal import JSON
internal import KitsCore

/// `InstallationCreate` of the contract. Unknown members are ignored, so that an older server serves a newer SDK.
struct InstallationCreate: Sendable {
  let platform: Platform
  let state: DesiredState
  let stateRevision: Int64

  private static let firstRevision: Int64 = 1

  init(_ body: JSONValue) throws(Problem) {
    let faults = FaultCollector()
    let object = ObjectReader(body, into: faults)
    let platform = object.requiredChoice("platform", Platform.names)
    stateRevision =
      object.integer("state_revision", in: Limits.stateRevision, nullIsAbsent: true) ?? Self.firstRevision
    state = DesiredStateReader(object: object, isPatch: false, platform: platform).read()
    if let problem = Problem(faults) { throw problem }
    guard let platform else { throw .internalFault("a platform was neither read nor refused") }
    self.platform = platform
  }
}

/// `InstallationPatch` of the contract.
struct InstallationPatch: Sendable {
  let state: DesiredState
  let stateRevision: Int64

  /// - Parameter platform: the installation's, which can't change.
  init(_ body: JSONValue, platform: Platform) throws(Problem) {
    let faults = FaultCollector()
    let object = ObjectReader(body, into: faults)
    if let given = object.choice("platform", Platform.names), given != platform {
      object.refuse("platform", .notAllowed, "The platform of an installation can't change.")
    }
    let revision = object.requiredInteger("state_revision", in: Limits.stateRevision)
    state = DesiredStateReader(object: object, isPatch: true, platform: platform).read()
    if let problem = Problem(faults) { throw problem }
    guard let revision else { throw .internalFault("a revision was neither read nor refused") }
    stateRevision = revision
  }
}
