internal import Crypto
internal import KitsStore

/// What every Handlers type is made from. Each takes what it needs.
struct Surroundings: Sendable {
  let access: AccessStore
  let audit: AuditStore
  let environments: EnvironmentStore
  let installations: InstallationStore
  let messages: MessageStore
  let circuits: CircuitStore
  let identities: IdentityStore
  let users: UserStore
  let segments: SegmentStore
  let reports: ReportStore
  let signing: SigningStore
  let events: EventStore
  let eventRate: EventRate
  let webhooks: WebhookStore
  let allowsPrivateWebhooks: Bool
  let policies: SigningPolicies
  let rates: RateLimits
  let keys: KeyRing
  let publicURL: String
  /// Milliseconds since 1970.
  let now: @Sendable () -> Int64
  let onMessageCreated: @Sendable () -> Void
  let observe: @Sendable (APIEvent) -> Void

  var answers: Answers { Answers(observe: observe) }
  var gate: Gate { Gate(access: access, audit: audit, keys: keys, observe: observe) }
  var admission: Admission {
    Admission(
      rates: RateCheck(rates, gate: gate), signatures: SignatureCheck(gate: gate, policies: policies, answers: answers),
      answers: answers)
  }
}
