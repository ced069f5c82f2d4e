/// Reads variables and collects what is wrong, so that an operator sees every problem in one run.
struct ConfigReader {
  private let environment: [String: String]
  private(set) var problems: [ConfigProblem] = []

  init(_ environment: [String: String]) {
    self.environment = environment
  }

  func contains(_ variable: Variable) -> Bool { environment[variable.name] != nil }

  mutating func report(_ variable: Variable, _ problem: String) {
    problems.append(
      ConfigProblem(variable: variable.name, problem: problem, example: variable.documentation.example))
  }

  /// The parsed value; nil after a problem was noted or when the variable is absent.
  mutating func optional<Value>(
    _ variable: Variable, _ parse: (String) throws(Malformed) -> Value
  ) -> Value? {
    guard let text = environment[variable.name] else { return nil }
    if text.isEmpty {
      report(variable, "is empty; remove it or give it a value")
      return nil
    }
    if text.utf8.count > ConfigLimits.valueBytes {
      report(variable, "is longer than \(ConfigLimits.valueBytes) bytes")
      return nil
    }
    do { return try parse(text) } catch {
      report(variable, error.reason)
      return nil
    }
  }

  mutating func required<Value>(_ variable: Variable, _ parse: (String) throws(Malformed) -> Value) -> Value? {
    if !contains(variable) { report(variable, "is not set") }
    return optional(variable, parse)
  }

  mutating func integer(_ variable: Variable, in range: ClosedRange<Int>, default fallback: Int) -> Int {
    optional(variable) { (text) throws(Malformed) in
      guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { throw Malformed("is not a whole number") }
      guard let value = Int(text), range.contains(value) else { throw Malformed("must be \(range.words)") }
      return value
    } ?? fallback
  }

  /// A misspelt variable would otherwise be a silent default.
  mutating func reportUnknown() {
    let known = Variable.allCases.map(\.name)
    for name in environment.keys.sorted()
    where name.hasPrefix("KITS_") && !known.contains(name) && !Variable.isForeign(name) {
      let hint = Suggestion.nearest(to: name, in: known).map { "; did you mean \($0)?" } ?? ""
      problems.append(
        ConfigProblem(variable: LogText.escaped(name), problem: "is not a variable of Kits\(hint)", example: nil))
    }
  }
}
