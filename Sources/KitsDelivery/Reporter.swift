import APNs
import KitsCore
import KitsStore

/// What every attempt leaves behind beside its outcome, whoever made it: marks on tokens, counts, refusals of our key.
struct Reporter: Sendable {
  let store: DeliveryStore
  let observe: @Sendable (DeliveryEvent) -> Void

  /// Before the outcomes are written: after a crash in between the push service gives the same answer again.
  func mark(_ feedback: [TokenFeedback]) async {
    guard !feedback.isEmpty else { return }
    do {
      _ = try await store.record(feedback)
      for state in [TokenState.unregistered, .suspect] {
        let count = feedback.count { $0.state == state }
        if count > 0 { observe(.tokensMarked(state: state, count: count)) }
      }
    } catch {
      // The push service will say it again with the next message.
      observe(.troubled(activity: "token feedback", problem: String(describing: error)))
    }
  }

  /// `pending` counts what waits for another attempt.
  func count(_ classes: some Sequence<OutcomeClass>) {
    var counts: [OutcomeClass: Int] = [:]
    for outcomeClass in classes { counts[outcomeClass, default: 0] += 1 }
    for (outcomeClass, count) in counts { observe(.outcomes(class: outcomeClass, count: count)) }
  }

  func reportRefusals(in results: [SendOutcome], of app: AppNumber) {
    let refused = results.compactMap { result -> APNsReason? in
      guard case .rejected(let rejection) = result, rejection.reasonClass == .credential else { return nil }
      return rejection.reason
    }
    if let reason = refused.first { observe(.credentialRefused(app: app, reason: reason, count: refused.count)) }
  }
}
