internal import JSON
internal import KitsCore

/// `TagChange` of the contract. Unknown members are ignored, so that an older server serves a newer SDK.
struct TagBody: Sendable {
  let expectedBinding: BindingID
  let values: [String: String]
  let removed: Set<String>

  private static let count = 0...Limits.tags
  private static let valueBytes = 0...Limits.tagValueBytes
  private static let longestEchoedKey = 128

  init(_ body: JSONValue) throws(Problem) {
    let faults = FaultCollector()
    let object = ObjectReader(body, into: faults)
    let binding = object.requiredUUID("expected_binding_id")
    values = Self.values(object)
    removed = Self.removed(object, besides: values)
    // Whoever asks for nothing wrote something else than they meant: the names of the two members aren't known here.
    if Self.isAbsent("set", object), Self.isAbsent("remove", object) {
      object.refuse("set", .missing, "set or remove is required.")
    }
    if let problem = Problem(faults) { throw problem }
    guard let binding else { throw .internalFault("a binding was neither read nor refused") }
    expectedBinding = BindingID(binding)
  }

  private static func isAbsent(_ name: String, _ object: ObjectReader) -> Bool {
    object.value(name).map(\.isNull) ?? true
  }

  private static func values(_ object: ObjectReader) -> [String: String] {
    guard let member = object.member("set"), !member.isNull, let given = member.object() else { return [:] }
    guard count.contains(given.names.count) else {
      member.refuse(.tooMany, "An installation has at most \(Limits.tags) tags.")
      return [:]
    }
    var values: [String: String] = [:]
    for name in given.names {
      guard TagKey(name) != nil else {
        let detail = "A tag's key has \(TagKey.form)."
        if name.utf8.count <= longestEchoedKey {
          given.refuse(name, .badFormat, detail)
        } else {
          member.refuse(.badFormat, detail)
        }
        continue
      }
      values[name] = given.requiredString(name, bytes: valueBytes, refuseControls: true)
    }
    return values
  }

  private static func removed(_ object: ObjectReader, besides values: [String: String]) -> Set<String> {
    guard let member = object.member("remove"), !member.isNull, let elements = member.array(count: count) else {
      return []
    }
    var keys: Set<String> = []
    for element in elements {
      guard let text = element.string(bytes: 0...Limits.bodyBytes) else { continue }
      if TagKey(text) == nil {
        element.refuse(.badFormat, "A tag's key has \(TagKey.form).")
      } else if values[text] != nil {
        element.refuse(.conflict, "The key is in set too.")
      } else {
        keys.insert(text)
      }
    }
    return keys
  }
}
