import APNs
import KitsCore
import KitsStore

/// What a batch of answers of one APNs environment says of the app's credential. Pure.
struct CircuitAnswers {
  private(set) var accepted = 0
  private(set) var credentialReasons: [APNsReason] = []
  /// Provider tokens called expired; a fault of the clock when the token is young.
  private(set) var expiredTokens = 0
  private(set) var suspects: [CircuitSuspect] = []
  private(set) var suspectReasons: [APNsReason] = []

  init(_ sends: [WindowPlan.Send], _ outcomes: [SendOutcome], in environment: APNsEnvironment) {
    for (send, outcome) in zip(sends, outcomes) where send.environment == environment {
      switch outcome {
      case .accepted: accepted += 1
      case .rejected(let rejection): add(rejection, to: send)
      // They say nothing of the credential.
      case .notSent, .unknown: break
      }
    }
  }

  var hasRefusals: Bool { !credentialReasons.isEmpty || !suspects.isEmpty || expiredTokens > 0 }

  private mutating func add(_ rejection: APNsRejection, to send: WindowPlan.Send) {
    if rejection.reason == .expiredProviderToken { expiredTokens += 1 }
    switch rejection.reasonClass {
    case .credential: credentialReasons.append(rejection.reason)
    case .tokenSuspect:
      suspects.append(CircuitSuspect(installation: send.recipient.number, token: send.token))
      suspectReasons.append(rejection.reason)
    case .retryLater, .permanentRequest, .tokenDead, .connection: break
    }
  }
}
