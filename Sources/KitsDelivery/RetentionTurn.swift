import KitsCore
import KitsStore

/// A task that this node has taken for all nodes, until it is done or the node stops.
struct RetentionTurn: Sendable {
  let task: MaintenanceTask
  let store: RetentionStore
  let isStopping: @Sendable () -> Bool

  /// Called before each step: keeps the turn. False when the node stops or another one has taken over.
  func goesOn() async throws -> Bool {
    if isStopping() { return false }
    return try await store.renew(task)
  }

  /// Repeats a step that removes up to `limit` rows until it removes fewer; nil when the turn ended before. Answers how
  /// many rows went.
  func repeated(limit: Int32, _ step: () async throws -> Int) async throws -> Int? {
    var total = 0
    while try await goesOn() {
      let count = try await step()
      total += count
      if count < Int(limit) { return total }
    }
    return nil
  }
}
