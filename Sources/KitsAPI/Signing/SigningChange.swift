internal import JSON
internal import KitsCore

/// `SigningChange` of the contract: what is absent stays.
struct SigningChange: Sendable {
  let mode: SigningMode?
  let bucketSeconds: Int32?

  private static let modes = Dictionary(uniqueKeysWithValues: SigningMode.allCases.map { ($0.name, $0) })

  init(_ body: JSONValue) throws(Problem) {
    let faults = FaultCollector()
    let reader = ObjectReader(body, into: faults)
    mode = reader.choice("mode", Self.modes)
    bucketSeconds = reader.integer("bucket_seconds", in: Limits.signingBucketSeconds).map(Int32.init)
    reader.refuseUnknown()
    if let problem = Problem(faults) { throw problem }
  }
}
