/// The keys that the simulator knows. Its generation changes with every key, so that caches of verified tokens notice.
struct KeyRing: Sendable {
  /// Keys the admin port may add before it is told that there are enough.
  static let limit = 10_000

  private(set) var keys: [String: ProviderKey] = [:]
  private(set) var generation = 0

  subscript(keyID: String) -> ProviderKey? { keys[keyID] }

  /// Adds a key or replaces the one of the same id. False: the ring is full.
  mutating func add(_ key: ProviderKey) -> Bool {
    guard keys[key.keyID] != nil || keys.count < Self.limit else { return false }
    keys[key.keyID] = key
    generation += 1
    return true
  }
}
