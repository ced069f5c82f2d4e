import APNs
import KitsCore
import KitsStore

/// The dictionary of reasons: one byte for each, shared by all nodes. A reason that is new gets a code.
actor ReasonCodes {
  private let store: DeliveryStore
  private var codes: [String: OutcomeCode] = [:]

  init(store: DeliveryStore) {
    self.store = store
  }

  func code(for reason: String) async throws -> OutcomeCode {
    if let code = codes[reason] { return code }
    codes = try await store.reasons()
    if let code = codes[reason] { return code }
    try await store.addReason(reason)
    codes = try await store.reasons()
    return codes[reason] ?? .otherReason
  }
}
