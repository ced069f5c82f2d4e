internal import JSON
internal import KitsCore

/// A change of a scheduled message: a merge patch (RFC 7396) of its body, and the revision that it was made from.
struct MessagePatch: Sendable {
  let revision: Int64
  private let members: JSONObject

  init(_ body: JSONObject) throws(Problem) {
    let faults = FaultCollector()
    let revision = ObjectReader(.object(body), into: faults).requiredInteger("revision", in: Limits.messageRevision)
    if let problem = Problem(faults) { throw problem }
    guard let revision else { throw .internalFault("A revision was neither read nor refused.") }
    self.revision = revision
    var members = JSONObject()
    for (name, value) in body.members where name != "revision" { members.set(name, value) }
    self.members = members
  }

  var changesTime: Bool { members["send_at"] != nil || members["send_at_local"] != nil }

  func applied(to kept: [UInt8]) throws(Problem) -> JSONObject {
    guard let body = try? JSON.parse(kept, maxDepth: Limits.jsonDepth).object else {
      throw .internalFault("What was kept of a message is no object.")
    }
    return Self.merge(members, into: body)
  }

  /// Null takes a member away; objects are merged, everything else is replaced. The patch nests as deep as its body was
  /// allowed to.
  private static func merge(_ patch: JSONObject, into object: JSONObject) -> JSONObject {
    var merged = JSONObject()
    for (name, value) in object.members where patch[name] == nil { merged.set(name, value) }
    for (name, value) in patch.members {
      switch value {
      case .null: continue
      case .object(let inner): merged.set(name, .object(merge(inner, into: object[name]?.object ?? JSONObject())))
      default: merged.set(name, value)
      }
    }
    return merged
  }
}
