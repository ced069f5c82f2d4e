/// A JSON document in memory. Integers and reals stay apart, because `1e3` and `1.0` aren't integers to anyone who
/// signs or counts.
package enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// The string, when it is one.
  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The integer, when it is one.
  package var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// The Boolean, when it is one.
  package var bool: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  /// The elements, when it is an array.
  package var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members, when it is an object.
  package var object: JSONObject? {
    if case .object(let members) = self { members } else { nil }
  }

  /// Whether it is null.
  package var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

extension JSONValue: Equatable {
  /// Strings are equal when their UTF-8 bytes are; an integer never equals a real.
  package static func == (a: JSONValue, b: JSONValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a == b
    case (.string(let a), .string(let b)): UTF8Bytes.equal(a, b)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }
}
