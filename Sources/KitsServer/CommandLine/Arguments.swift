/// What was given on the command line, already checked against the command's declaration.
struct Arguments: Sendable, Equatable {
  /// In the order given; flags have an empty list.
  fileprivate(set) var options: [String: [String]] = [:]
  fileprivate(set) var positionals: [String: String] = [:]

  func has(_ option: String) -> Bool { options[option] != nil }

  func value(_ option: String) -> String? { options[option]?.last }

  func values(_ option: String) -> [String] { options[option] ?? [] }

  /// For options and positionals that the declaration requires: the parser has made sure they are there.
  func required(_ name: String) throws(CommandFailure) -> String {
    guard let value = positionals[name] ?? value(name) else { throw .usage("missing \(name)") }
    return value
  }

  mutating func add(_ option: OptionSpec, _ value: String?) {
    options[option.name, default: []] += value.map { [$0] } ?? []
  }

  mutating func place(_ value: String, as positional: PositionalSpec) {
    positionals[positional.name] = value
  }
}
