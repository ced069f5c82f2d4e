import APNs

/// The push service can't be reached: of a whole batch nothing was handed over. The work goes back as it was, instead
/// of becoming a retry each, and whoever did it pauses.
struct Outage: Error, CustomStringConvertible {
  let cause: NotSentCause

  init?(_ results: [SendOutcome]) {
    guard case .notSent(let cause)? = results.first, cause != .invalidRequest else { return nil }
    guard results.allSatisfy({ if case .notSent(let other) = $0 { other != .invalidRequest } else { false } }) else {
      return nil
    }
    self.cause = cause
  }

  var description: String { "the push service can't be reached: \(cause)" }
}
