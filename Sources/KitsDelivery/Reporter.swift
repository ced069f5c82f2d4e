import APNs
import FoundationEssentials
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

  /// How long a message took until its first recipients had it, told once: its number holds the time at which it was
  /// started. Both clocks matter here, the database's and this node's, which `kits doctor` compares.
  func reportFirstAccepted(_ message: MessageNumber) {
    let started = Double(message.value >> 22) / 1_000
    observe(.firstAccepted(seconds: max(0, Date().timeIntervalSince1970 - started)))
  }

  func reportRefusals(in results: [SendOutcome], of app: AppNumber) {
    var classes: [ReasonClass: Int] = [:]
    for case .rejected(let rejection) in results { classes[rejection.reasonClass, default: 0] += 1 }
    for (reasonClass, count) in classes { observe(.pushesRefused(class: reasonClass, count: count)) }
    let refused = results.compactMap { result -> APNsReason? in
      guard case .rejected(let rejection) = result, rejection.reasonClass == .credential else { return nil }
      return rejection.reason
    }
    if let reason = refused.first { observe(.credentialRefused(app: app, reason: reason, count: refused.count)) }
  }
}
