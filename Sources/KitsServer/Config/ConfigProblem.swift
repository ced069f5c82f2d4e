/// One thing that is wrong with the configuration. Renders as one line and never contains a secret's value.
struct ConfigProblem: Sendable, Equatable, CustomStringConvertible {
  let variable: String
  let problem: String
  let example: String?

  var description: String {
    "\(variable): \(problem)" + (example.map { " (example: \($0))" } ?? "")
  }
}

/// All problems of one parse; never empty.
struct ConfigError: Error, Equatable, CustomStringConvertible {
  let problems: [ConfigProblem]

  var description: String { problems.map(\.description).joined(separator: "\n") }
}
