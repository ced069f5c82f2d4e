import Testing

/// One place that breaks a rule.
struct Finding: CustomStringConvertible, Sendable {
  let path: String
  let line: Int
  let what: String

  var description: String { "\(path):\(line): \(what)" }
}

/// Fails the test with every finding on a line of its own.
func expectNone(_ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
  if findings.isEmpty { return }
  let list = findings.map(\.description).joined(separator: "\n")
  Issue.record("\(findings.count) places break this rule:\n\(list)", sourceLocation: sourceLocation)
}
