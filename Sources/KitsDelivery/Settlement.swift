import APNs
import KitsCore
import KitsStore

/// Turns what came back from the push service into what is written: a byte per member, retries, marks on tokens.
struct Settlement: Sendable {
  let breaker: CircuitBreaker
  let reasons: ReasonCodes
  let reporter: Reporter
  let policy: RetryPolicy

  /// Marks tokens and counts; the ack is for the caller to commit. `kept` is what the breaker said of all that was sent
  /// together.
  func settle(
    _ plan: WindowPlan, _ results: [SendOutcome], of message: DispatchableMessage, kept: Set<InstallationNumber>,
    declaredTo: Int32? = nil, nextWindow: Int32
  ) async -> WindowAck {
    var outcomes = plan.outcomes
    var feedback: [TokenFeedback] = []
    var retries = plan.held
    for (send, result) in zip(plan.sends, results) {
      let isKept = kept.contains(send.recipient.number)
      let verdict = Verdict.of(result, onUnknown: message.onUnknown, isKept: isKept)
      if let mark = send.feedback(verdict, of: message.app) { feedback.append(mark) }
      switch verdict {
      case .accepted: outcomes[send.place] = OutcomeCode.accepted.byte
      case .unknown: outcomes[send.place] = OutcomeCode.unknown.byte
      case .failed(let reason, _, _, _): outcomes[send.place] = await reasons.code(for: reason).byte
      case .retry(let cause, let status, let reason):
        outcomes[send.place] = OutcomeCode.inRetry.byte
        retries.append(send.retry(status, reason, policy.delayMilliseconds(after: 1, cause: cause)))
      case .kept(let status, let reason):
        outcomes[send.place] = OutcomeCode.inRetry.byte
        retries.append(send.retry(status, reason, RetryPolicy.parkedMilliseconds))
      }
    }
    await reporter.mark(feedback)
    reporter.count(outcomes.lazy.map { OutcomeCode($0).outcomeClass })
    reporter.reportRefusals(in: results, of: message.app)
    if plan.lease.chunk == 0, plan.from == 0, results.contains(where: { $0 == .accepted }) {
      reporter.reportFirstAccepted(message.number)
    }
    return WindowAck(
      lease: plan.lease, from: plan.from, outcomes: outcomes, retries: retries, resent: plan.resent,
      declaredTo: declaredTo, nextWindow: nextWindow)
  }
}

extension WindowPlan.Send {
  /// What the answer says of the token.
  func feedback(_ verdict: Verdict, of app: AppNumber) -> TokenFeedback? {
    verdict.mark.map { mark in
      TokenFeedback(
        app: app, installation: recipient.number, token: token, state: mark.state, confirmedAt: mark.confirmedAt)
    }
  }

  fileprivate func retry(_ status: Int32, _ reason: String, _ delayMilliseconds: Int64) -> WindowAck.Retry {
    WindowAck.Retry(
      index: recipient.index, environment: environment, status: status, reason: reason,
      delayMilliseconds: delayMilliseconds)
  }
}
