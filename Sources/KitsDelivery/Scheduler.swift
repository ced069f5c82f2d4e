import KitsCore
import KitsStore

/// Starts messages whose time has come. What a scheduled message says was validated when it was created; what becomes
/// of it is decided by the same statement that creates messages.
struct Scheduler: Sendable {
  let store: ScheduleStore
  /// Makes the message of what was kept.
  let compose: @Sendable (DueMessage) async throws -> NewMessage
  let observe: @Sendable (DeliveryEvent) -> Void
  /// Called when there is something to plan and to send.
  let wake: @Sendable () async -> Void
  private let mostAtOnce: Int32 = 64

  init(
    store: ScheduleStore, compose: @escaping @Sendable (DueMessage) async throws -> NewMessage,
    observe: @escaping @Sendable (DeliveryEvent) -> Void, wake: @escaping @Sendable () async -> Void
  ) {
    self.store = store
    self.compose = compose
    self.observe = observe
    self.wake = wake
  }

  /// False when none was due.
  func workOnce() async throws -> Bool {
    let started: [MessageID]
    do {
      started = try await store.startDue(limit: mostAtOnce, compose: compose)
    } catch let refusal as ScheduleStore.Refusal {
      try await setAside(refusal)
      return true
    }
    guard !started.isEmpty else { return false }
    observe(.started(count: started.count))
    await wake()
    return true
  }

  /// One message that can't be started doesn't hold the others: when it isn't known which it is, one is tried alone.
  private func setAside(_ refusal: ScheduleStore.Refusal) async throws {
    var guilty = refusal
    if refusal.count > 1 {
      do {
        let started = try await store.startDue(limit: 1, compose: compose)
        observe(.started(count: started.count))
        return await wake()
      } catch let refusal as ScheduleStore.Refusal {
        guilty = refusal
      }
    }
    observe(.notStarted(message: guilty.message.id, problem: String(describing: guilty.cause)))
    try await store.postpone(guilty.message)
  }
}
