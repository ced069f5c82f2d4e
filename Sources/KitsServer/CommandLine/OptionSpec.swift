/// One option of a command.
struct OptionSpec: Sendable {
  /// Without the dashes.
  let name: String
  /// Nil makes it a flag.
  let valueName: String?
  let help: String
  var isRequired = false
  var isRepeatable = false
  /// When not empty, only these values are right.
  var choices: [String] = []

  static func flag(_ name: String, _ help: String) -> OptionSpec {
    OptionSpec(name: name, valueName: nil, help: help)
  }

  static func value(
    _ name: String, _ valueName: String, _ help: String, required: Bool = false, repeatable: Bool = false,
    choices: [String] = []
  ) -> OptionSpec {
    OptionSpec(
      name: name, valueName: valueName, help: help, isRequired: required, isRepeatable: repeatable, choices: choices)
  }

  /// `--name VALUE`, as usage lines show it.
  var usage: String { "--\(name)" + (valueName.map { " \($0)" } ?? "") }
}
