import APNs
import KitsCore
import KitsStore

/// Turns what came back from the push service into what is written: a byte per member, retries, marks on tokens.
struct Settlement: Sendable {
  let reasons: ReasonCodes
  let reporter: Reporter
  let policy: RetryPolicy

  /// Marks tokens and counts; the ack is for the caller to commit.
  func settle(
    _ plan: WindowPlan, _ results: [SendOutcome], of message: DispatchableMessage, nextWindow: Int32
  ) async -> WindowAck {
    var outcomes = plan.outcomes
    var feedback: [TokenFeedback] = []
    var retries: [WindowAck.Retry] = []
    for (send, result) in zip(plan.sends, results) {
      switch Verdict.of(result, onUnknown: message.onUnknown) {
      case .accepted: outcomes[send.place] = OutcomeCode.accepted.byte
      case .unknown: outcomes[send.place] = OutcomeCode.unknown.byte
      case .failed(let reason, _, let token, let confirmedAt):
        outcomes[send.place] = await reasons.code(for: reason).byte
        if let token { feedback.append(send.feedback(token, confirmedAt, of: message.app)) }
      case .retry(let cause, let status, let reason):
        outcomes[send.place] = OutcomeCode.inRetry.byte
        retries.append(
          WindowAck.Retry(
            index: send.recipient.index, status: status, reason: reason,
            delayMilliseconds: policy.delayMilliseconds(after: 1, cause: cause)))
      }
    }
    await reporter.mark(feedback)
    reporter.count(outcomes.map { OutcomeCode($0).outcomeClass })
    reporter.reportRefusals(in: results, of: message.app)
    return WindowAck(
      lease: plan.lease, from: plan.from, outcomes: outcomes, retries: retries, resent: plan.resent,
      nextWindow: nextWindow)
  }
}

extension WindowPlan.Send {
  func feedback(_ state: TokenState, _ confirmedAt: Timestamp?, of app: AppNumber) -> TokenFeedback {
    TokenFeedback(
      app: app, installation: recipient.number, token: token, state: state, confirmedAt: confirmedAt)
  }
}
