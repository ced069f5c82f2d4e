package import FoundationEssentials

extension JSONWriter {
  /// A whole value, members in their order.
  package mutating func value(_ value: JSONValue) { tree(value, members: \.members) }

  /// A whole value, members of every object sorted by the bytes of their names.
  package mutating func canonical(_ value: JSONValue) { tree(value, members: \.sorted) }

  /// A string or null.
  package mutating func value(_ text: String?) {
    if let text { value(text) } else { null() }
  }

  /// An integer or null.
  package mutating func value(_ number: Int64?) {
    if let number { value(number) } else { null() }
  }

  /// An id or null.
  package mutating func value(_ id: UUID?) {
    if let id { value(id) } else { null() }
  }

  /// An instant or null.
  package mutating func timestamp(_ microseconds: Int64?) {
    if let microseconds { timestamp(microseconds) } else { null() }
  }

  /// A member with a string or null.
  package mutating func member(_ name: String, _ text: String?) {
    key(name)
    value(text)
  }

  /// A member with an integer or null.
  package mutating func member(_ name: String, _ number: Int64?) {
    key(name)
    value(number)
  }

  /// A member with an integer.
  package mutating func member(_ name: String, _ number: Int) {
    key(name)
    value(number)
  }

  /// A member with a real.
  package mutating func member(_ name: String, _ number: Double) {
    key(name)
    value(number)
  }

  /// A member with a Boolean.
  package mutating func member(_ name: String, _ flag: Bool) {
    key(name)
    value(flag)
  }

  /// A member with an id or null.
  package mutating func member(_ name: String, _ id: UUID?) {
    key(name)
    value(id)
  }

  /// A member with a whole value.
  package mutating func member(_ name: String, _ json: JSONValue) {
    key(name)
    value(json)
  }

  /// A member with an instant or null.
  package mutating func timestampMember(_ name: String, _ microseconds: Int64?) {
    key(name)
    timestamp(microseconds)
  }

  private mutating func tree(_ value: JSONValue, members: (JSONObject) -> [JSONObject.Member]) {
    switch value {
    case .null: null()
    case .bool(let flag): self.value(flag)
    case .integer(let number): self.value(number)
    case .real(let number): self.value(number)
    case .string(let text): self.value(text)
    case .array(let elements):
      beginArray()
      for element in elements { tree(element, members: members) }
      endArray()
    case .object(let object):
      beginObject()
      for member in members(object) {
        key(member.key)
        tree(member.value, members: members)
      }
      endObject()
    }
  }
}
