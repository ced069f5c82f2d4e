/// Fault rules in the order in which they are tried; the first that fires decides.
struct RuleSet: Sendable {
  /// Rules that may be in force at a time.
  static let limit = 20_000

  private var ordered: [FaultRule] = []
  /// Rules for one token each are looked up, so that thousands of scripted devices cost no thousands of comparisons.
  private var exact: [String: [FaultRule]] = [:]
  private(set) var count = 0

  /// False: there are too many rules.
  mutating func add(_ rule: FaultRule) -> Bool {
    guard count < Self.limit else { return false }
    count += 1
    if case .exact(let token)? = rule.token {
      exact[token, default: []].append(rule)
    } else {
      ordered.append(rule)
    }
    return true
  }

  mutating func rule(token: String, connectionRequest: Int) -> FaultRule? {
    guard count > 0 else { return nil }
    if let position = exact.index(forKey: token) {
      for index in exact.values[position].indices
      where exact.values[position][index].fires(token: token, connectionRequest: connectionRequest) {
        return exact.values[position][index]
      }
    }
    for index in ordered.indices where ordered[index].fires(token: token, connectionRequest: connectionRequest) {
      return ordered[index]
    }
    return nil
  }
}
