import KitsStore

/// Whether this process may still send to an endpoint: asked before each request, so that one that is switched off or
/// removed gets nothing more, and no two processes send it the same.
actor WebhookHold {
  private let store: WebhookWorkStore
  private let claim: WebhookClaim
  private let ends: ContinuousClock.Instant
  private let renewal: Duration
  private let isStopping: @Sendable () -> Bool
  private var renewed = ContinuousClock.now
  private var isOver = false

  init(
    store: WebhookWorkStore, claim: WebhookClaim, configuration: WebhookConfiguration,
    isStopping: @escaping @Sendable () -> Bool
  ) {
    self.store = store
    self.claim = claim
    self.isStopping = isStopping
    ends = .now + configuration.turn
    renewal = .seconds(max(1, Int(configuration.leaseSeconds) / 4))
  }

  /// It has said that it wants nothing more.
  func end() { isOver = true }

  func mayGoOn() async -> Bool {
    guard !isOver, !isStopping(), .now < ends else { return false }
    let isDue = renewed.duration(to: .now) > renewal
    do {
      let holds = isDue ? try await store.renew(claim) : try await store.holds(claim)
      if isDue { renewed = .now }
      if !holds { isOver = true }
    } catch {
      // The database is away: what it says can't be known, so nothing is sent.
      isOver = true
    }
    return !isOver
  }
}
