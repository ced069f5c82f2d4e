/// What is scripted at the moment.
struct Laboratory: Sendable {
  var script: FaultScript
  /// Answers scripted for tokens, which come before the script's own rules and survive its replacement.
  var tokens = RuleSet()

  init(validation: ValidationRules) {
    script = FaultScript(validation: validation)
  }

  mutating func rule(token: String, connectionRequest: Int) -> FaultRule? {
    tokens.rule(token: token, connectionRequest: connectionRequest)
      ?? script.rules.rule(token: token, connectionRequest: connectionRequest)
  }
}
