import APNs
import KitsCore

/// What a send outcome means for its delivery and for the token. Pure.
enum Verdict: Equatable {
  case accepted
  /// Final: the reason gets its code.
  case failed(reason: String, status: Int32, token: TokenState?, confirmedAt: Timestamp?)
  case unknown
  /// Not now: try again after a delay of this kind.
  case retry(RetryPolicy.Cause, status: Int32, reason: String)
  /// The token is refused, but so are others that worked before: the credential is likelier at fault than all of them.
  /// Stays pending until the app is resumed.
  case kept(status: Int32, reason: String)

  /// The text under which an unknown result waits for its second attempt.
  static let unknownReason = "unknown"
  static let notSentReason = "not_sent"
  /// The text under which a delivery waits whose app is paused.
  static let pausedReason = "paused"

  /// What the answer says of the token, and since when.
  var mark: (state: TokenState, confirmedAt: Timestamp?)? {
    switch self {
    case .failed(_, _, let state?, let confirmedAt): (state, confirmedAt)
    case .kept: (.suspect, nil)
    default: nil
    }
  }

  static func of(_ outcome: SendOutcome, onUnknown: OnUnknown, isKept: Bool) -> Verdict {
    let verdict = of(outcome, onUnknown: onUnknown)
    guard isKept, case .failed(let reason, let status, .suspect, _) = verdict else { return verdict }
    return .kept(status: status, reason: reason)
  }

  static func of(_ outcome: SendOutcome, onUnknown: OnUnknown) -> Verdict {
    switch outcome {
    case .accepted: .accepted
    case .rejected(let rejection): of(rejection)
    case .notSent(.invalidRequest): .failed(reason: "InvalidRequest", status: 0, token: nil, confirmedAt: nil)
    case .notSent: .retry(.unreachable, status: 0, reason: notSentReason)
    case .unknown:
      onUnknown == .skip ? .unknown : .retry(.unreachable, status: 0, reason: unknownReason)
    }
  }

  private static func of(_ rejection: APNsRejection) -> Verdict {
    let status = Int32(clamping: rejection.status)
    let reason = rejection.reason.text
    switch rejection.reasonClass {
    case .retryLater:
      return .retry(rejection.status == 429 ? .throttled : .serverFault, status: status, reason: reason)
    case .connection: return .retry(.unreachable, status: status, reason: reason)
    // The delivery is as good as before; what is wrong is ours to mend.
    case .credential: return .retry(.throttled, status: status, reason: reason)
    case .permanentRequest: return .failed(reason: reason, status: status, token: nil, confirmedAt: nil)
    case .tokenSuspect: return .failed(reason: reason, status: status, token: .suspect, confirmedAt: nil)
    case .tokenDead:
      let confirmed = rejection.timestampMilliseconds.flatMap { milliseconds -> Timestamp? in
        let (microseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? nil : Timestamp(microseconds: microseconds)
      }
      return .failed(reason: reason, status: status, token: .unregistered, confirmedAt: confirmed)
    }
  }
}
