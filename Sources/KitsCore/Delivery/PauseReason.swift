/// Why an app is paused. All but the first are the circuit breaker's.
package enum PauseReason: Int16, Sendable, CaseIterable {
  /// Somebody asked for it, by command or by API.
  case byOperator = 1
  /// APNs refuses our credential (403): wrong, revoked, or for the other environment.
  case credential = 2
  /// APNs calls a provider token expired that was made minutes ago: the database's clock is wrong.
  case clockFault = 3
  /// Tokens that worked before are refused in large numbers: wrong key, topic or environment.
  case tokensRefused = 4

  package var name: String {
    switch self {
    case .byOperator: "operator"
    case .credential: "credential"
    case .clockFault: "clock_fault"
    case .tokensRefused: "tokens_refused"
    }
  }
}
