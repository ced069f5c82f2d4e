import APNs
import KitsCore
import KitsStore

/// The messages that have chunks to take, in turn: every lane gets the next one, so that none waits for another's end.
actor MessageBoard {
  private let store: DeliveryStore
  private var turn: [OpenMessage] = []
  private var known: Set<OpenMessage> = []
  private var isRefreshing = false
  private var isStale = false
  private var refreshDue = BootInstant.now
  private let interval: Duration
  private let most: Int32 = 256

  /// Looks for new messages at least every `interval` while it is asked.
  init(store: DeliveryStore, interval: Duration) {
    self.store = store
    self.interval = interval
  }

  /// The next message in turn; nil when there is none.
  func next() async throws -> OpenMessage? {
    if turn.isEmpty || refreshDue < BootInstant.now { try await refresh() }
    guard !turn.isEmpty else { return nil }
    let message = turn.removeFirst()
    turn.append(message)
    return message
  }

  /// There was no chunk to take of it just now.
  func drop(_ message: OpenMessage) {
    known.remove(message)
    turn.removeAll { $0 == message }
  }

  /// New messages come first: they are likely small, and somebody waits for them.
  ///
  /// While another look is under way this one is made after it: what was committed in between must not be missed.
  func refresh() async throws {
    isStale = true
    guard !isRefreshing else { return }
    isRefreshing = true
    defer { isRefreshing = false }
    while isStale {
      isStale = false
      try await look()
    }
  }

  private func look() async throws {
    refreshDue = BootInstant.now.advanced(by: interval)
    let open = try await store.openMessages(limit: most)
    let fresh = open.filter { !known.contains($0) }
    turn.insert(contentsOf: fresh, at: 0)
    known.formUnion(fresh)
  }
}
