import APNs
import KitsCore
import KitsStore

/// What sending a message needs, read once per node while the message is being sent.
actor MessageCache {
  private let store: DeliveryStore
  private var messages: [OpenMessage: (message: DispatchableMessage, until: BootInstant)] = [:]
  private var order: [OpenMessage] = []
  /// A payload is at most 4 KB per language, so this is bounded by some megabytes in practice.
  private let capacity = 64
  private let trust: Duration

  init(store: DeliveryStore, trust: Duration) {
    self.store = store
    self.trust = trust
  }

  func message(_ key: OpenMessage) async throws -> DispatchableMessage? {
    if let known = messages[key], BootInstant.now < known.until { return known.message }
    guard let message = try await store.dispatchable(key) else { return nil }
    let entry = (message: message, until: BootInstant.now.advanced(by: trust))
    if messages.updateValue(entry, forKey: key) == nil { order.append(key) }
    if order.count > capacity { messages[order.removeFirst()] = nil }
    return message
  }

  func forget(_ key: OpenMessage) {
    messages[key] = nil
    order.removeAll { $0 == key }
  }
}
