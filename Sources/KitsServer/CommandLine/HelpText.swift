/// The text of `--help`, made from the declaration.
struct HelpText {
  let path: [String]
  let command: CommandSpec

  func rendered() -> String {
    var parts = ["Usage: \(usage)", command.summary]
    if !command.discussion.isEmpty { parts.append(command.discussion) }
    if !command.subcommands.isEmpty {
      parts.append(list("Commands", command.subcommands.map { ($0.name, $0.summary) }))
    }
    if !command.positionals.isEmpty {
      parts.append(list("Arguments", command.positionals.map { ($0.name, $0.help) }))
    }
    parts.append(list("Options", command.allOptions.map { ($0.usage, explanation($0)) }))
    if !command.examples.isEmpty {
      parts.append("Examples:\n" + command.examples.map { "  " + $0 }.joined(separator: "\n"))
    }
    if !command.subcommands.isEmpty {
      parts.append("`\(path.joined(separator: " ")) COMMAND --help` explains a command.")
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private var usage: String {
    let name = path.joined(separator: " ")
    guard command.action != nil else { return "\(name) COMMAND" }
    let grouped = Set(command.exactlyOneOf.joined())
    var words = [name] + command.positionals.map(\.name)
    for option in command.options where option.isRequired { words.append(option.usage) }
    for group in command.exactlyOneOf {
      let options = group.compactMap { name in command.options.first { $0.name == name }?.usage }
      words.append("(\(options.joined(separator: " | ")))")
    }
    let rest = command.options.contains { !$0.isRequired && !grouped.contains($0.name) }
    return Self.lines(of: words + (rest || command.options.isEmpty ? ["[OPTIONS]"] : []))
  }

  /// A long line goes on below its first word; what belongs together is not torn apart.
  private static func lines(of words: [String]) -> String {
    var lines = [""]
    for word in words {
      let last = lines[lines.count - 1]
      if last.isEmpty || last.count + 1 + word.count > usageColumns {
        lines.append(word)
      } else {
        lines[lines.count - 1] = last + " " + word
      }
    }
    return lines.dropFirst().joined(separator: "\n         ")
  }

  private func explanation(_ option: OptionSpec) -> String {
    var text = option.help
    if !option.choices.isEmpty { text += " One of: \(option.choices.joined(separator: ", "))." }
    if option.isRepeatable { text += " May be repeated." }
    if option.isRequired { text += " Required." }
    return text
  }

  /// Names in a column, explanations beside it; a name wider than the column gets a line of its own.
  private func list(_ title: String, _ rows: [(String, String)]) -> String {
    let width = min(HelpText.widestName, rows.map(\.0.count).max() ?? 0)
    let indent = "\n" + String(repeating: " ", count: width + 4)
    let lines = rows.map { name, help in
      let wrapped = HelpText.wrapped(help, to: HelpText.columns - width - 4).joined(separator: indent)
      return name.count > width
        ? "  " + name + indent + wrapped
        : "  " + name + String(repeating: " ", count: width - name.count + 2) + wrapped
    }
    return "\(title):\n" + lines.joined(separator: "\n")
  }

  private static let widestName = 26
  private static let columns = 90
  private static let usageColumns = 100

  static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
