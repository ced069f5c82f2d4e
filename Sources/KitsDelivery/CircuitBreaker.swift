import APNs
import KitsCore
import KitsStore

/// Pauses an app in one APNs environment when its credential is at fault and not its tokens.
///
/// It looks at every batch of answers, but asks the database about refusals alone. Registering rubbish with the public
/// key opens nothing: a refused token counts only if a message was accepted for it before.
actor CircuitBreaker {
  private struct Evidence {
    var counts = CircuitEvidence()
    /// The circuit's epoch that the counts belong to: what was seen before a resume doesn't count after it.
    var epoch: Int32?
    /// Proven tokens that were refused and marked while the circuit was closed.
    var suspects: [CircuitSuspect] = []
  }

  private let store: CircuitStore
  private let tokens: ProviderTokens
  private let policy: BreakerPolicy
  private let observe: @Sendable (DeliveryEvent) -> Void
  private var evidence: [CircuitPlace: Evidence] = [:]
  /// Apps beyond this many begin anew: a node's view is allowed to be short.
  private let capacity = 4_096

  init(
    store: CircuitStore, tokens: ProviderTokens, policy: BreakerPolicy,
    observe: @escaping @Sendable (DeliveryEvent) -> Void
  ) {
    self.store = store
    self.tokens = tokens
    self.policy = policy
    self.observe = observe
  }

  /// The installations whose refusals are not taken for final, because their app is paused now.
  func judge(
    _ sends: [WindowPlan.Send], _ outcomes: [SendOutcome], of app: AppNumber, key: SealedAPNsKey?
  ) async -> Set<InstallationNumber> {
    var kept: Set<InstallationNumber> = []
    for environment in APNsEnvironment.allCases {
      let answers = CircuitAnswers(sends, outcomes, in: environment)
      let place = CircuitPlace(app: app, environment: environment)
      if answers.hasRefusals {
        do {
          kept.formUnion(try await weigh(answers, at: place, key))
        } catch {
          // Unjudged: refused tokens are marked as ever, and the next batch is looked at again.
          observe(.troubled(activity: "breaker", problem: String(describing: error)))
        }
      } else if answers.accepted > 0 {
        var known = evidence[place] ?? Evidence()
        known.counts.add(accepted: answers.accepted, atSecond: second, policy)
        keep(known, at: place)
      }
    }
    return kept
  }

  private func weigh(
    _ answers: CircuitAnswers, at place: CircuitPlace, _ key: SealedAPNsKey?
  ) async throws -> Set<InstallationNumber> {
    let standing = try await store.examine(place, suspects: answers.suspects.map(\.installation))
    // An installation counts once, however many messages it had in the batch.
    let proven = Set(answers.suspects).filter { standing.proven.contains($0.installation) }
    if standing.isOpen {
      try await remember(Array(proven), at: place)
      return standing.proven
    }
    var known = evidence[place] ?? Evidence()
    if let epoch = known.epoch, epoch != standing.epoch { known = Evidence() }
    known.epoch = standing.epoch
    let fresh = proven.subtracting(known.suspects)
    known.counts.add(
      accepted: answers.accepted, credentialRefusals: answers.credentialReasons.count, provenRefusals: fresh.count,
      atSecond: second, policy)
    known.suspects = Array((known.suspects + fresh).suffix(policy.suspectsRemembered))
    keep(known, at: place)
    guard let (reason, detail) = await finding(known.counts, answers, key) else { return [] }
    if try await store.open(place, expecting: standing.epoch, reason, detail: detail, suspects: known.suspects) {
      observe(.paused(app: place.app, environment: place.environment, reason: reason, detail: detail))
      if !known.suspects.isEmpty {
        observe(
          .suspectsRemembered(app: place.app, environment: place.environment, count: known.suspects.count))
      }
    }
    evidence[place] = nil
    return standing.proven
  }

  private func finding(
    _ counts: CircuitEvidence, _ answers: CircuitAnswers, _ key: SealedAPNsKey?
  ) async -> (PauseReason, String?)? {
    if answers.expiredTokens > 0, let key, let age = await tokens.ageSeconds(of: key),
      age < policy.clockFaultSeconds
    {
      // Resuming drops the token; what this node knows of it goes now.
      await tokens.forget(key)
      return (.clockFault, "\(APNsReason.expiredProviderToken), \(age) s after the token was made")
    }
    guard let reason = counts.finding(policy) else { return nil }
    switch reason {
    case .credential: return (reason, answers.credentialReasons.first?.text)
    case .tokensRefused: return (reason, answers.suspectReasons.first?.text)
    case .byOperator, .clockFault: return (reason, nil)
    }
  }

  private func remember(_ suspects: [CircuitSuspect], at place: CircuitPlace) async throws {
    guard !suspects.isEmpty else { return }
    try await store.remember(suspects, of: place)
    observe(.suspectsRemembered(app: place.app, environment: place.environment, count: suspects.count))
  }

  private func keep(_ known: Evidence, at place: CircuitPlace) {
    if evidence[place] == nil, evidence.count >= capacity { evidence = [:] }
    evidence[place] = known
  }

  private var second: Int64 { Int64(BootInstant.now.nanoseconds / 1_000_000_000) }
}
