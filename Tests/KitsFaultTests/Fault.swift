import Testing

/// One kind of trouble that APNs or the network makes.
struct Fault: Sendable, CustomTestStringConvertible {
  /// Something that changes while messages are under way.
  struct Step: Sendable {
    /// A condition of the simulator's `GET /wait`.
    let when: String
    /// The script that follows; nil ends all trouble.
    let script: String?
  }

  let name: String
  let script: String
  var steps: [Step] = []
  /// Deliveries that fail for good, and the reason that the message gives for them.
  var failed = 0
  var failedReason: String?
  /// What the simulator must have answered for the test to have shown anything.
  var reason: String?
  /// … or how many connections it must have seen.
  var connections = 1
  /// The service takes pushes without our hearing of it, so some have to be sent twice.
  var doubles = false

  var testDescription: String { name }

  /// A script of rules only.
  static func rules(_ name: String, _ rules: String, connections: Int = 1, reason: String? = nil) -> Fault {
    Fault(
      name: name, script: #"{"latency_ms":5,"rules":[\#(rules)]}"#, reason: reason, connections: connections,
      doubles: rules.contains(#""accept":true"#))
  }
}
