internal import JSON
internal import KitsCore

/// Reads `EnvironmentChange` of the contract: a merge patch without anything that could be cleared.
enum EnvironmentChangeReader {
  private static let modes = Dictionary(uniqueKeysWithValues: AuthMode.allCases.map { ($0.name, $0) })
  private static let policies = Dictionary(uniqueKeysWithValues: IdentifierPolicy.allCases.map { ($0.name, $0) })

  static func read(_ body: JSONValue) throws(Problem) -> EnvironmentPolicy.Change {
    let faults = FaultCollector()
    let reader = ObjectReader(body, into: faults)
    var change = EnvironmentPolicy.Change()
    change.authMode = reader.choice("auth_mode", modes)
    change.shadow = reader.bool("shadow")
    change.identifiers = reader.choice("identifier_policy", policies)
    change.rawIdentifiers = reader.bool("raw_identifiers")
    change.expectedRevision = reader.integer("expected_policy_revision", in: 0...Int64.max)
    change.isForced = reader.bool("force") ?? false
    reader.refuseUnknown()
    if let problem = Problem(faults) { throw problem }
    return change
  }
}
