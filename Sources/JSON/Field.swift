/// A member of a merge patch (RFC 7396): left alone, removed, or set.
package enum Field<Value> {
  case absent
  case null
  case value(Value)

  /// The value, when one is set.
  package var set: Value? {
    if case .value(let value) = self { value } else { nil }
  }

  /// Whether the patch says nothing about the member.
  package var isAbsent: Bool {
    if case .absent = self { true } else { false }
  }

  /// The same statement about a converted value.
  package func map<Other>(_ transform: (Value) -> Other) -> Field<Other> {
    switch self {
    case .absent: .absent
    case .null: .null
    case .value(let value): .value(transform(value))
    }
  }
}

extension Field: Sendable where Value: Sendable {}
extension Field: Equatable where Value: Equatable {}
