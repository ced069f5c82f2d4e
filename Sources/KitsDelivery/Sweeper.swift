import KitsStore

/// Ends what nobody else will: chunks and retries of canceled and expired messages, and messages that are over.
struct Sweeper: Sendable {
  let store: DeliveryStore
  let cache: MessageCache
  let observe: @Sendable (DeliveryEvent) -> Void
  private let chunksPerSweep: Int32 = 100

  init(store: DeliveryStore, cache: MessageCache, observe: @escaping @Sendable (DeliveryEvent) -> Void) {
    self.store = store
    self.cache = cache
    self.observe = observe
  }

  func sweep() async throws {
    try await store.endOverduePlansAndRetries()
    while true {
      let swept = try await store.sweepChunks(limit: chunksPerSweep)
      if swept > 0 { observe(.chunksSwept(count: swept)) }
      if swept < Int(chunksPerSweep) { break }
    }
    for message in try await store.finishable() where try await store.finish(message) {
      observe(.completed(message: message.message))
      await cache.forget(message)
    }
  }
}
