/// A whole fault script, as `POST /script` and `--script` give it.
struct FaultScript: Sendable {
  /// Added to every answer.
  var latencyMilliseconds = 0
  var connection = ConnectionScript()
  var validation: ValidationRules
  var rules = RuleSet()
}
