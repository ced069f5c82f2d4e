/// Turns the words of a command line into a command and its arguments.
struct CommandParser: Sendable {
  enum Result: Sendable {
    case run(path: [String], command: CommandSpec, arguments: Arguments)
    case help(path: [String], command: CommandSpec)
  }

  let root: CommandSpec

  /// - Parameter words: without the program's name.
  func parse(_ words: [String]) throws(CommandFailure) -> Result {
    var words = words[...]
    if words.first == "--version" { words = ["version"] + words.dropFirst() }
    var wantsHelp = false
    if words.first == "help" {
      wantsHelp = true
      words.removeFirst()
    }
    var path = [root.name]
    var command = root
    while let word = words.first, command.action == nil {
      if word == "--help" || word == "-h" { return .help(path: path, command: command) }
      command = try subcommand(word, of: command, path: path)
      path.append(command.name)
      words.removeFirst()
    }
    if wantsHelp || command.action == nil && words.isEmpty && command.name == root.name {
      return .help(path: path, command: command)
    }
    guard command.action != nil else {
      let names = command.subcommands.map(\.name).joined(separator: ", ")
      throw .usage("`\(path.joined(separator: " "))` needs one of: \(names)")
    }
    guard let arguments = try arguments(of: command, in: words) else { return .help(path: path, command: command) }
    try check(arguments, of: command, path: path)
    return .run(path: path, command: command, arguments: arguments)
  }

  private func subcommand(
    _ word: String, of command: CommandSpec, path: [String]
  ) throws(CommandFailure) -> CommandSpec {
    if let found = command.subcommands.first(where: { $0.name == word }) { return found }
    let kind = word.hasPrefix("-") ? "option" : "command"
    let hint = suggestion(word, command.subcommands.map(\.name) + ["--help", "--version"])
    throw .usage("unknown \(kind) `\(LogText.escaped(word))` for `\(path.joined(separator: " "))`\(hint)")
  }

  /// Nil when help was asked for: it wins over everything else that may be wrong on the line.
  private func arguments(of command: CommandSpec, in words: ArraySlice<String>) throws(CommandFailure) -> Arguments? {
    if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) { return nil }
    var arguments = Arguments()
    var places = command.positionals[...]
    var words = words
    var areOptionsOver = false
    while let word = words.popFirst() {
      if !areOptionsOver, word == "--" {
        areOptionsOver = true
      } else if !areOptionsOver, word.hasPrefix("-"), word != "-" {
        try option(word, of: command, &words, &arguments)
      } else if let place = places.popFirst() {
        arguments.place(word, as: place)
      } else {
        throw .usage("unexpected argument `\(LogText.escaped(word))`")
      }
    }
    if let missing = places.first { throw .usage("missing argument \(missing.name)") }
    return arguments
  }

  private func option(
    _ word: String, of command: CommandSpec, _ words: inout ArraySlice<String>, _ arguments: inout Arguments
  ) throws(CommandFailure) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0].drop { $0 == "-" })
    guard word.hasPrefix("--"), let option = command.allOptions.first(where: { $0.name == name }) else {
      let hint = suggestion(String(parts[0]), command.allOptions.map { "--" + $0.name })
      throw .usage("unknown option `\(LogText.escaped(String(parts[0])))`\(hint)")
    }
    if arguments.has(name) && !option.isRepeatable { throw .usage("--\(name) was given twice") }
    guard let valueName = option.valueName else {
      if parts.count > 1 { throw .usage("--\(name) takes no value") }
      return arguments.add(option, nil)
    }
    let value: String
    if parts.count > 1 {
      value = String(parts[1])
    } else if let next = words.first, !next.hasPrefix("--") {
      value = next
      words.removeFirst()
    } else {
      throw .usage("--\(name) needs a value: --\(name) \(valueName)")
    }
    if !option.choices.isEmpty && !option.choices.contains(value) {
      throw .usage("--\(name) must be one of \(option.choices.joined(separator: ", "))")
    }
    arguments.add(option, value)
  }

  private func check(_ arguments: Arguments, of command: CommandSpec, path: [String]) throws(CommandFailure) {
    let missing = command.options.filter { $0.isRequired && !arguments.has($0.name) }.map(\.usage)
    if !missing.isEmpty {
      throw .usage("`\(path.joined(separator: " "))` needs \(missing.joined(separator: ", "))")
    }
    for group in command.exactlyOneOf {
      let names = group.map { "--" + $0 }.joined(separator: " or ")
      switch group.filter(arguments.has).count {
      case 1: break
      case 0: throw .usage("`\(path.joined(separator: " "))` needs \(names)")
      default: throw .usage("give only one of \(names)")
      }
    }
    if arguments.has("json") && arguments.has("field") { throw .usage("give only one of --json or --field") }
  }

  private func suggestion(_ word: String, _ candidates: [String]) -> String {
    Suggestion.nearest(to: word, in: candidates).map { "; did you mean `\($0)`?" } ?? ""
  }
}
