/// A command, declared: what it takes, how it is explained, and what runs it. A command has either subcommands or an
/// action. Parsing and help both read this value and nothing else.
struct CommandSpec: Sendable {
  typealias Action = @Sendable (Invocation) async throws -> Void

  let name: String
  /// One line, for the list of the parent command.
  let summary: String
  /// Paragraphs below the usage line; empty when the summary says it all.
  var discussion = ""
  var options: [OptionSpec] = []
  var positionals: [PositionalSpec] = []
  /// Groups of options of which exactly one must be given.
  var exactlyOneOf: [[String]] = []
  var examples: [String] = []
  var subcommands: [CommandSpec] = []
  /// True when the command drains on SIGTERM instead of dying from it.
  var handlesSignals = false
  var action: Action?

  /// Options every command with an action takes.
  static let common: [OptionSpec] = [
    .flag("json", "Print one JSON object."),
    .value("field", "NAME", "Print the value of one field alone."),
    .flag("help", "Show this text."),
  ]

  var allOptions: [OptionSpec] {
    action == nil ? CommandSpec.common.filter { $0.name == "help" } : options + CommandSpec.common
  }
}
