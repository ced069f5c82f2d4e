/// Reads the members of one object; every member that doesn't fit becomes a fault with its pointer, and nil is
/// returned. An absent optional member is nil without a fault; null is a fault unless `nullIsAbsent` says otherwise. Of
/// a value that isn't an object there is one fault, not one per required member.
package struct ObjectReader {
  /// The JSON pointer of the object.
  package let pointer: String
  private let members: JSONObject
  private let isObject: Bool
  private let faults: FaultCollector
  private let seen: SeenMembers
  private static let longestEchoedName = 128

  /// Reads `value`, which stands at `pointer`.
  package init(_ value: JSONValue, at pointer: String = "", into faults: FaultCollector) {
    self.pointer = pointer
    self.faults = faults
    if case .object(let members) = value {
      self.members = members
      isObject = true
    } else {
      members = JSONObject()
      isObject = false
      if value.isNull {
        faults.add(pointer, .nullNotAllowed, "It must not be null.")
      } else {
        faults.add(pointer, .wrongType, "It must be an object.")
      }
    }
    seen = SeenMembers(count: members.count)
  }

  /// The names of all members, in order.
  package var names: [String] { members.keys }

  /// Whether the member is there, null or not. Doesn't count as reading it.
  package func has(_ name: String) -> Bool { members.index(of: name) != nil }

  /// The JSON pointer of a member.
  package func pointer(_ name: String) -> String { JSONPointer.child(pointer, name) }

  /// Adds a fault about a member.
  package func refuse(_ name: String, _ code: JSONFault.Code, _ detail: String) {
    faults.add(pointer(name), code, detail)
  }

  /// The member as it is, or nil when absent. It counts as read.
  package func value(_ name: String) -> JSONValue? { member(name)?.value }

  /// A reader of the member, or nil when absent. It counts as read.
  package func member(_ name: String) -> ElementReader? {
    guard let index = members.index(of: name) else { return nil }
    seen.mark(index)
    return ElementReader(members.members[index].value, base: pointer, place: .member(name), faults: faults)
  }

  /// A reader of the member; its absence is a fault.
  package func requiredMember(_ name: String) -> ElementReader? {
    if let member = member(name) { return member }
    if isObject { faults.add(pointer(name), .missing, "It is required.") }
    return nil
  }

  /// Adds `unknown_field` for every member that was never read. A very long name isn't repeated.
  package func refuseUnknown() {
    for (index, member) in members.members.enumerated() where !seen.contains(index) {
      let isShort = member.key.utf8.count <= Self.longestEchoedName
      faults.add(isShort ? pointer(member.key) : pointer, .unknownField, "There is no such member.")
    }
  }

  func optionalMember(_ name: String, nullIsAbsent: Bool) -> ElementReader? {
    guard let member = member(name), !(nullIsAbsent && member.isNull) else { return nil }
    return member
  }
}
