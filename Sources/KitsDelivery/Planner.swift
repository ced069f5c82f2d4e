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

  /// A plan that this node has, between two pages.
  private struct Work {
    let claim: PlanClaim
    var pace: PlanPace
    /// Whether its first page is still to be tried with all rows at once.
    var isToTryWhole: Bool
    var planned: Int64 = 0
  }

  /// Plans until nothing is left to plan. False when nothing was there.
  func workOnce() async throws -> Bool {
    var works: [Work] = []
    var worked = false
    while !isStopping() {
      if works.count < mostAtOnce, let claim = try await store.claimPlan() {
        worked = true
        if let work = begin(claim) { works.append(work) }
      }
      guard !works.isEmpty else { return worked }
      var work = works.removeFirst()
      let page: PlanProgress
      switch try await nextPage(of: &work) {
      case .page(let made): page = made
      case .tooLong:
        works.append(work)
        continue
      case .gone: continue
      }
      if page.planned > work.planned { await wake() }
      work.planned = page.planned
      if page.isDone {
        try await end(work.claim, page)
      } else {
        works.append(work)
      }
    }
    return worked
  }

  /// Nil when it ended with the claim.
  private func begin(_ claim: PlanClaim) -> Work? {
    var isToTryWhole = false
    switch claim.source {
    case .refused(let reason):
      observe(.refused(message: claim.message, reason: reason))
      return nil
    case .audience(let audience): isToTryWhole = audience.isUntouched && !audience.isForTestDevices
    case .everyone, .named: break
    }
    return Work(claim: claim, pace: PlanPace(configuration), isToTryWhole: isToTryWhole)
  }

  private func nextPage(of work: inout Work) async throws -> DeliveryStore.Attempt {
    if work.isToTryWhole, case .audience(let audience) = work.claim.source {
      work.isToTryWhole = false
      return try await store.planWhole(
        audience, work.claim, within: configuration.planWholeLimit, pageLimit: configuration.planPage)
    }
    let start = ContinuousClock.now
    let page = try await store.planPage(
      work.claim, scanWindow: work.pace.rows, pageLimit: configuration.planPage)
    guard let page else { return .gone }
    let isFull = page.planned - work.planned >= Int64(configuration.planPage)
    work.pace.adapt(to: .now - start, isFull: isFull)
    return .page(page)
  }

  private func end(_ claim: PlanClaim, _ page: PlanProgress) async throws {
    if let refusal = page.refusal {
      observe(.refused(message: claim.message, reason: refusal))
      return
    }
    observe(.planned(message: claim.message, recipients: page.planned, chunks: page.chunks))
    // Everything may have been sent before the plan was marked as done.
    let message = OpenMessage(app: claim.app, message: claim.message)
    if try await store.finish(message) { observe(.completed(message: claim.message)) }
  }
}
