/// What a merge patch (RFC 7396) says about one member: absent leaves it, null clears it, a value sets it.
package enum Change<Value: Sendable>: Sendable {
  case unchanged
  case cleared
  case set(Value)
}

extension Change: Equatable where Value: Equatable {}
