import Testing

/// Reads the Prometheus text format the way its specification describes it and fails on the first deviation.
enum ExpositionRules {
  struct Violation: Error {
    let line: String
    let rule: String
  }

  static func check(_ text: String) throws {
    guard text.isEmpty || text.hasSuffix("\n") else { throw Violation(line: "", rule: "ends with a line feed") }
    var types: [String: String] = [:]
    var helped: Set<String> = []
    var samples: Set<String> = []
    var current = ""
    for line in text.split(separator: "\n").map(String.init) {
      if line.hasPrefix("# HELP ") {
        let name = String(line.dropFirst(7).prefix { $0 != " " })
        guard helped.insert(name).inserted else { throw Violation(line: line, rule: "one HELP per name") }
      } else if line.hasPrefix("# TYPE ") {
        let words = line.dropFirst(7).split(separator: " ").map(String.init)
        guard words.count == 2, ["counter", "gauge", "histogram"].contains(words[1]), types[words[0]] == nil else {
          throw Violation(line: line, rule: "one TYPE per name, of a known kind")
        }
        types[words[0]] = words[1]
        current = words[0]
      } else {
        let key = try sample(line, family: current, type: types[current] ?? "")
        guard samples.insert(key).inserted else { throw Violation(line: line, rule: "each sample once") }
      }
    }
  }

  /// The name and labels of a sample line.
  private static func sample(_ line: String, family: String, type: String) throws -> String {
    guard let space = line.lastIndex(of: " ") else { throw Violation(line: line, rule: "name and value") }
    let value = String(line[line.index(after: space)...])
    guard ["NaN", "+Inf", "-Inf"].contains(value) || Double(value) != nil else {
      throw Violation(line: line, rule: "value is a number")
    }
    let key = line[..<space]
    let name = String(key.prefix { $0 != "{" })
    let allowed = type == "histogram" ? ["_bucket", "_sum", "_count"].map { family + $0 } : [family]
    guard allowed.contains(name) else { throw Violation(line: line, rule: "sample belongs to the TYPE above it") }
    let labels = key.dropFirst(name.count)
    if !labels.isEmpty { try check(labels: labels, line) }
    return String(key)
  }

  private static func check(labels text: Substring, _ line: String) throws {
    let pattern =
      /\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\\\|\\"|\\n)*")(,[a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\\\|\\"|\\n)*")*\}/
    guard text.wholeMatch(of: pattern.matchingSemantics(.unicodeScalar)) != nil else {
      throw Violation(line: line, rule: "labels are name=\"escaped\"")
    }
  }
}
