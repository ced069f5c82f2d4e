import Testing

@testable import APNsSimulator

/// A request that differs from a good one in one point, and the reason that this earns; `nil`: none.
struct Case: Sendable, CustomTestStringConvertible {
  let name: String
  let reason: Reason?
  let change: @Sendable (Push) -> Push

  init(_ name: String, _ reason: Reason?, _ change: @escaping @Sendable (Push) -> Push) {
    self.name = name
    self.reason = reason
    self.change = change
  }

  var testDescription: String { name }
}
