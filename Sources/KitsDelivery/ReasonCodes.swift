import APNs
import KitsCore
import KitsStore

/// The dictionary of reasons: one byte for each, shared by all nodes. A reason that is new gets a code.
actor ReasonCodes {
  private let store: DeliveryStore
  private let observe: @Sendable (DeliveryEvent) -> Void
  private var codes: [String: OutcomeCode] = [:]

  init(store: DeliveryStore, observe: @escaping @Sendable (DeliveryEvent) -> Void) {
    self.store = store
    self.observe = observe
  }

  /// While the database is away an unseen reason becomes `other`: losing the exact word is better than losing the
  /// result.
  func code(for reason: String) async -> OutcomeCode {
    if let code = codes[reason] { return code }
    do {
      return try await look(up: reason)
    } catch {
      observe(.troubled(activity: "reason code", problem: String(describing: error)))
      return .otherReason
    }
  }

  private func look(up reason: String) async throws -> OutcomeCode {
    codes = try await store.reasons()
    if let code = codes[reason] { return code }
    try await store.addReason(reason)
    codes = try await store.reasons()
    return codes[reason] ?? .otherReason
  }
}
