/// A part of a filter that decided about an installation.
package struct FilterClause: Sendable, Equatable {
  /// Where it stands in the filter, as a JSON pointer.
  package let pointer: String
  package let filter: Filter
  /// What it says by itself: below a `not` it is a match that excludes.
  package let matches: Bool

  package init(pointer: String, filter: Filter, matches: Bool) {
    self.pointer = pointer
    self.filter = filter
    self.matches = matches
  }
}

extension Filter {
  /// Its conditions, from front to back.
  package var conditions: [FilterCondition] {
    switch self {
    case .all(let parts), .any(let parts): parts.flatMap(\.conditions)
    case .not(let part): part.conditions
    case .condition(let condition): [condition]
    }
  }

  /// The smallest parts that make it false; none when it is true.
  ///
  /// - Parameter answers: one for each of `conditions`.
  package func clausesAgainst(_ answers: [Bool]) -> [FilterClause] {
    var rest = answers[...]
    let judged = JudgedFilter(self, at: "", &rest)
    return judged.matches ? [] : judged.deciding
  }
}

/// A filter with what each of its parts says.
private struct JudgedFilter {
  let filter: Filter
  let pointer: String
  let matches: Bool
  let parts: [JudgedFilter]

  init(_ filter: Filter, at pointer: String, _ answers: inout ArraySlice<Bool>) {
    self.filter = filter
    self.pointer = pointer
    switch filter {
    case .all(let members):
      parts = Self.judge(members, at: pointer + "/all", &answers)
      matches = parts.allSatisfy(\.matches)
    case .any(let members):
      parts = Self.judge(members, at: pointer + "/any", &answers)
      matches = parts.contains(where: \.matches)
    case .not(let part):
      let judged = JudgedFilter(part, at: pointer + "/not", &answers)
      parts = [judged]
      matches = !judged.matches
    case .condition:
      parts = []
      matches = answers.popFirst() ?? false
    }
  }

  private static func judge(
    _ members: [Filter], at pointer: String, _ answers: inout ArraySlice<Bool>
  ) -> [JudgedFilter] {
    var judged: [JudgedFilter] = []
    for (index, member) in members.enumerated() {
      judged.append(JudgedFilter(member, at: "\(pointer)/\(index)", &answers))
    }
    return judged
  }

  /// Those without which this would say the opposite. In a group they are the parts that say the same as the group.
  var deciding: [FilterClause] {
    let alike: [JudgedFilter] =
      if case .not = filter { parts } else { parts.filter { $0.matches == matches } }
    guard !alike.isEmpty else { return [FilterClause(pointer: pointer, filter: filter, matches: matches)] }
    return alike.flatMap(\.deciding)
  }
}
