import KitsCore
import KitsStore

/// Turns targets into chunks, a page per transaction. A crash leaves a whole number of pages and a cursor.
///
/// Messages are planned in turn, a page each, so that a small one never waits for the end of a large one.
struct Planner: Sendable {
  let store: DeliveryStore
  let configuration: DeliveryConfiguration
  let observe: @Sendable (DeliveryEvent) -> Void
  let isStopping: @Sendable () -> Bool
  /// Called when there is something to send.
  let wake: @Sendable () async -> Void
  private let mostAtOnce = 16

  init(
    store: DeliveryStore, configuration: DeliveryConfiguration, observe: @escaping @Sendable (DeliveryEvent) -> Void,
    isStopping: @escaping @Sendable () -> Bool, wake: @escaping @Sendable () async -> Void
  ) {
    self.store = store
    self.configuration = configuration
    self.observe = observe
    self.isStopping = isStopping
    self.wake = wake
  }

  /// Plans until nothing is left to plan. False when nothing was there.
  func workOnce() async throws -> Bool {
    var claims: [PlanClaim] = []
    var planned: [MessageNumber: Int64] = [:]
    var worked = false
    while !isStopping() {
      if claims.count < mostAtOnce, let claim = try await store.claimPlan() { claims.append(claim) }
      guard !claims.isEmpty else { return worked }
      worked = true
      let claim = claims.removeFirst()
      let page = try await store.planPage(
        claim, scanWindow: configuration.planScanWindow, pageLimit: configuration.planPage)
      // Canceled, or taken over by another node.
      guard let page else { continue }
      if page.planned > planned.updateValue(page.planned, forKey: claim.message) ?? 0 { await wake() }
      if page.isDone {
        try await end(claim, page)
      } else {
        claims.append(claim)
      }
    }
    return worked
  }

  private func end(_ claim: PlanClaim, _ page: PlanProgress) async throws {
    observe(.planned(message: claim.message, recipients: page.planned, chunks: page.chunks))
    // Everything may have been sent before the plan was marked as done.
    let message = OpenMessage(app: claim.app, message: claim.message)
    if try await store.finish(message) { observe(.completed(message: claim.message)) }
  }
}
