/// A worker's pending deadlines, earliest first: a binary heap.
struct TimerHeap {
  struct Entry {
    /// Nanoseconds of the monotonic clock.
    let deadline: UInt64
    /// Keeps entries of the same deadline in the order they were added.
    let order: UInt64
    let connection: Int
    let action: Action

    func precedes(_ other: Entry) -> Bool {
      (deadline, order) < (other.deadline, other.order)
    }
  }

  enum Action {
    case answer(stream: Int32, Directive)
    case resumeReading
  }

  private var entries: [Entry] = []
  private var nextOrder: UInt64 = 0

  var next: UInt64? { entries.first?.deadline }

  mutating func add(deadline: UInt64, connection: Int, _ action: Action) {
    entries.append(Entry(deadline: deadline, order: nextOrder, connection: connection, action: action))
    nextOrder += 1
    var child = entries.count - 1
    while child > 0, entries[child].precedes(entries[(child - 1) / 2]) {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// The earliest entry, when it is due.
  mutating func take(dueAt now: UInt64) -> Entry? {
    guard let first = entries.first, first.deadline <= now else { return nil }
    let last = entries.removeLast()
    guard !entries.isEmpty else { return first }
    entries[0] = last
    var parent = 0
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < entries.count && entries[child].precedes(entries[smallest]) {
        smallest = child
      }
      if smallest == parent { return first }
      entries.swapAt(parent, smallest)
      parent = smallest
    }
  }
}
