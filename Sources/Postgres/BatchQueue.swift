/// Which request waits, which key is held, which lane runs. All of it under the batcher's lock; nothing here waits.
struct BatchQueue<Request: Sendable, Answer: Sendable> {
  typealias Item = BatchItem<Request, Answer>
  typealias Instant = ContinuousClock.Instant

  let limits: BatchLimits
  private(set) var idleLanes: Int
  private(set) var items: [Item] = []
  /// Busy requests until their pause is over. They keep their keys, so that nothing overtakes them.
  private(set) var parked: [(item: Item, until: Instant)] = []
  /// Keys of requests in flight and parked.
  private var held: Set<BatchKey> = []
  private var queuedPerKey: [BatchKey: Int] = [:]
  private var queuedPerTenant: [Int64: Int] = [:]
  private var queuedBytes = 0
  private var isClosed = false
  /// Until when the sleeping task sleeps; nil when there is none.
  var wakeAt: Instant?

  init(limits: BatchLimits, lanes: Int) {
    self.limits = limits
    idleLanes = max(1, lanes)
  }

  /// nil when it is queued.
  mutating func add(_ item: Item) -> PostgresError? {
    if isClosed { return .unavailable("the batcher is closed") }
    guard items.count + parked.count < limits.maxQueuedRows,
      queuedBytes + item.bytes <= limits.maxQueuedBytes,
      queuedPerTenant[item.tenant, default: 0] < limits.maxQueuedPerTenant,
      !item.keys.contains(where: { queuedPerKey[$0, default: 0] >= limits.maxQueuedPerKey })
    else { return .overloaded }
    count(item, 1)
    items.append(item)
    return nil
  }

  /// True when an idle lane should start; it counts as running from then on.
  mutating func startLane() -> Bool {
    guard idleLanes > 0, !items.isEmpty else { return false }
    idleLanes -= 1
    return true
  }

  /// The next batch in order of arrival. A request whose key is held, or wanted by one left behind, is left behind.
  /// Empty: the lane is idle again.
  mutating func takeBatch() -> [Item] {
    var batch: [Item] = []
    var left: [Item] = []
    var wanted: Set<BatchKey> = []
    var bytes = 0
    var scanned = 0
    for item in items {
      if batch.count == limits.maxBatchRows { break }
      if !batch.isEmpty, bytes + item.bytes > limits.maxBatchBytes { break }
      scanned += 1
      if item.keys.contains(where: { held.contains($0) || wanted.contains($0) }) {
        wanted.formUnion(item.keys)
        left.append(item)
        continue
      }
      held.formUnion(item.keys)
      bytes += item.bytes
      batch.append(item)
    }
    if batch.isEmpty {
      idleLanes += 1
      return []
    }
    for item in batch { count(item, -1) }
    items.replaceSubrange(0..<scanned, with: left)
    return batch
  }

  /// The batch is over: keys are free, busy requests are parked. Another lane may be able to go on.
  mutating func settle(_ batch: [Item], busy: [Item], now: Instant) {
    for item in batch { held.subtract(item.keys) }
    for item in busy {
      held.formUnion(item.keys)
      let pause = min(limits.pause.most, limits.pause.first * (1 << min(item.busyCount, 16)))
      item.busyCount += 1
      parked.append((item, now + pause))
      count(item, 1)
    }
  }

  /// Parked requests whose pause is over return to the front. Those in the queue whose deadline has passed are out.
  mutating func wake(now: Instant) -> [Item] {
    var returning: [Item] = []
    var still: [(item: Item, until: Instant)] = []
    for entry in parked {
      if entry.until > now && entry.item.deadline > now { still.append(entry) } else { returning.append(entry.item) }
    }
    parked = still
    for item in returning { held.subtract(item.keys) }
    items.insert(contentsOf: returning, at: 0)
    let expired = items.filter { $0.deadline <= now }
    if !expired.isEmpty { items.removeAll { $0.deadline <= now } }
    for item in expired { count(item, -1) }
    return expired
  }

  /// When `wake` is due next.
  var nextWake: Instant? {
    let deadline = items.lazy.map(\.deadline).min()
    let pause = parked.lazy.map { min($0.until, $0.item.deadline) }.min()
    guard let deadline, let pause else { return deadline ?? pause }
    return min(deadline, pause)
  }

  /// False when it is in flight (or was never queued).
  mutating func remove(_ item: Item) -> Bool {
    if let index = items.firstIndex(where: { $0 === item }) {
      items.remove(at: index)
    } else if let index = parked.firstIndex(where: { $0.item === item }) {
      parked.remove(at: index)
      held.subtract(item.keys)
    } else {
      return false
    }
    count(item, -1)
    return true
  }

  /// Everything that is queued, taken out.
  mutating func removeAll() -> [Item] {
    let all = parked.map(\.item) + items
    for entry in parked { held.subtract(entry.item.keys) }
    parked = []
    items = []
    for item in all { count(item, -1) }
    return all
  }

  mutating func close() -> [Item] {
    isClosed = true
    return removeAll()
  }

  private mutating func count(_ item: Item, _ change: Int) {
    queuedBytes += item.bytes * change
    Self.count(item.tenant, change, &queuedPerTenant)
    for key in item.keys { Self.count(key, change, &queuedPerKey) }
  }

  private static func count<Key>(_ key: Key, _ change: Int, _ counts: inout [Key: Int]) {
    let value = counts[key, default: 0] + change
    if value == 0 { counts.removeValue(forKey: key) } else { counts[key] = value }
  }
}
