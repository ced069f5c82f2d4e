import KitsCore
import KitsStore

/// What sending a message needs, read once per node while the message is being sent.
actor MessageCache {
  private let store: DeliveryStore
  private var messages: [OpenMessage: DispatchableMessage] = [:]
  private var order: [OpenMessage] = []
  /// A payload is at most 4 KB per language, so this is bounded by some megabytes in practice.
  private let capacity = 64

  init(store: DeliveryStore) {
    self.store = store
  }

  func message(_ key: OpenMessage) async throws -> DispatchableMessage? {
    if let known = messages[key] { return known }
    guard let message = try await store.dispatchable(key) else { return nil }
    if messages.updateValue(message, forKey: key) == nil { order.append(key) }
    if order.count > capacity { messages[order.removeFirst()] = nil }
    return message
  }

  func forget(_ key: OpenMessage) {
    messages[key] = nil
    order.removeAll { $0 == key }
  }
}
