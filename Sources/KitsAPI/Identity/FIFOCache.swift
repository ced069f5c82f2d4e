/// A dictionary of bounded size: when it is full, what came first goes.
struct FIFOCache<Key: Hashable, Value> {
  private var values: [Key: Value] = [:]
  /// A ring: `oldest` is the place of the key that goes next, once all places are taken.
  private var order: [Key] = []
  private var oldest = 0
  private let capacity: Int

  init(capacity: Int) {
    precondition(capacity > 0, "a cache holds something")
    self.capacity = capacity
  }

  var count: Int { values.count }

  subscript(key: Key) -> Value? { values[key] }

  mutating func insert(_ value: Value, for key: Key) {
    guard values.updateValue(value, forKey: key) == nil else { return }
    if order.count < capacity {
      order.append(key)
    } else {
      values[order[oldest]] = nil
      order[oldest] = key
      oldest = (oldest + 1) % capacity
    }
  }
}
