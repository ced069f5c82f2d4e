import APNs
import KitsCore
import KitsStore

/// Works through messages with one recipient: many share a claim, a batch of requests and an ack, and none of them
/// waits behind a large message.
struct SinglesDispatcher: Sendable {
  let store: DeliveryStore
  let sender: Sender
  let settlement: Settlement
  let marker: DeliveryMarker
  let configuration: DeliveryConfiguration
  let observe: @Sendable (DeliveryEvent) -> Void

  /// False when there was nothing to take.
  func workOnce() async throws -> Bool {
    var worked = false
    for app in try await store.appsWithSingles() {
      let deadline = BootInstant.now.advanced(by: configuration.handOverTime)
      let claimed = try await store.claimSingles(of: app, limit: configuration.singlesWindow)
      guard !claimed.isEmpty else { continue }
      worked = true
      try await deliver(claimed, before: deadline)
    }
    return worked
  }

  private func deliver(_ claimed: [ClaimedSingle], before deadline: BootInstant) async throws {
    let plans = claimed.map { (plan: WindowPlan($0.window, of: $0.message, marking: marker), message: $0.message) }
    let items = plans.flatMap { plan in plan.plan.sends.map { (send: $0, message: plan.message) } }
    let began = BootInstant.now
    let results: [SendOutcome]
    do {
      results = try await sender.send(items, before: deadline)
    } catch {
      // Nothing was handed over.
      try await store.release(singles: claimed.map(\.window))
      throw error
    }
    if !items.isEmpty { observe(.windowSent(count: items.count, seconds: began.secondsUntilNow)) }
    // All are of one app: judged together.
    let first = claimed.first?.message
    var kept: Set<InstallationNumber> = []
    if let first { kept = await settlement.breaker.judge(items.map(\.send), results, of: first.app, key: first.key) }
    var acks: [WindowAck] = []
    var rest = results[...]
    for (plan, message) in plans {
      let own = Array(rest.prefix(plan.sends.count))
      rest = rest.dropFirst(plan.sends.count)
      acks.append(await settlement.settle(plan, own, of: message, kept: kept, nextWindow: 0))
    }
    await commit(acks)
  }

  /// Results stay in memory until they are written: a send is never repeated because its ack failed.
  private func commit(_ acks: [WindowAck]) async {
    var pause = Duration.milliseconds(50)
    while true {
      do {
        for row in try await store.ack(singles: acks) where row.isCompleted {
          observe(.completed(message: row.message))
        }
        return
      } catch {
        observe(.troubled(activity: "ack", problem: String(describing: error)))
        // Cancelling would lose results; the process's drain deadline ends this wait.
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, .seconds(2))
      }
    }
  }
}
