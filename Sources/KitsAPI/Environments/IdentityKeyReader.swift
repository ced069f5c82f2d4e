internal import JSON
internal import KitsCore

/// Reads `IdentityKeyRegistration` of the contract. Whether the text is a key is asked afterwards.
enum IdentityKeyReader {
  static func read(_ body: JSONValue) throws(Problem) -> (id: IdentityKeyID, pem: String) {
    let faults = FaultCollector()
    let reader = ObjectReader(body, into: faults)
    let name = reader.requiredString("key_id", bytes: Limits.identityKeyIDBytes)
    let id = name.flatMap(IdentityKeyID.init)
    if name != nil, id == nil {
      reader.refuse(
        "key_id", .badFormat, "It must be letters, digits, `.`, `_` and `-`, not `.` or `..`, and not `kits_…`.")
    }
    // The key's own limit is told with what was pasted.
    let pem = reader.requiredString("public_key", bytes: 0...Limits.bodyBytes)
    reader.refuseUnknown()
    if let problem = Problem(faults) { throw problem }
    guard let id, let pem else { throw .internalFault("a required member is missing without a fault") }
    return (id: id, pem: pem)
  }
}
