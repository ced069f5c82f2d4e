/// The connections to one origin for one purpose (one team key, say), and the queue in front of them.
///
/// Connections live on loop threads and take work from here when they have room; so no connection ever holds a
/// request that another could send. Everything mutable is behind one lock, which nobody holds while calling out.
package final class ConnectionPool: Sendable {
  package let label: String
  let origin: Origin
  let configuration: HTTP2Configuration
  let observe: @Sendable (HTTP2Event) -> Void
  private let loops: [EventLoop]
  /// The loop that watches deadlines and growth while requests wait.
  private let home: Int
  private let numbers: ConnectionNumbers
  private let state: Locked<PoolState>

  init(
    label: String, origin: Origin, configuration: HTTP2Configuration, loops: [EventLoop], home: Int,
    numbers: ConnectionNumbers, observe: @escaping @Sendable (HTTP2Event) -> Void
  ) {
    self.label = label
    self.origin = origin
    self.configuration = configuration
    self.loops = loops
    self.home = home
    self.numbers = numbers
    self.observe = observe
    state = Locked(PoolState(configuration: configuration))
  }

  /// Sends every request of `source` and returns their ends in order, when the last one has ended.
  ///
  /// Nothing is handed over at or after `handOverBefore` (nanoseconds of CLOCK_BOOTTIME).
  package func send(_ source: some RequestSource, handOverBefore: UInt64 = .max) async -> [HTTPOutcome] {
    guard source.count > 0 else { return [] }
    return await withCheckedContinuation { continuation in
      let endsAt = Clocks.monotonic() + configuration.requestDeadline.nanoseconds
      enqueue(Batch(source, handOverBefore: handOverBefore, endsAt: endsAt, continuation: continuation))
    }
  }

  /// Takes no more work and closes the connections once their requests have ended.
  package func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      return state.queue.takeAll()
    }
    for work in waiting { work.end(.neverSent(.stopped)) }
    for loop in loops { loop.wake() }
  }

  /// Requests that no connection has taken yet.
  package var waiting: Int { state.withLock { $0.queue.count } }

  // MARK: - From the loops

  var isClosed: Bool { state.withLock { $0.isClosed } }
  var hasWaiting: Bool { state.withLock { $0.queue.count > 0 } }

  /// Fills `works` for a connection and tells it the window of the moment.
  func take(_ number: UInt32, room: Int, urgentRoom: Int, answers: Int, into works: inout [Work]) -> Int {
    state.withLock { state in
      state.answered(answers)
      state.take(number, room: room, urgentRoom: urgentRoom, into: &works)
      return state.window
    }
  }

  /// Requests that certainly weren't sent: they wait again, unless their time is over.
  func putBack(_ works: [Work]) {
    let now = Clocks.monotonic()
    let boot = Clocks.boot()
    let (live, over) = works.reduce(into: ([Work](), [Work]())) { lists, work in
      let isOver = work.batch.endsAt <= now || work.batch.handOverBefore <= boot
      isOver ? lists.1.append(work) : lists.0.append(work)
    }
    let closed = state.withLock { state in
      guard !state.isClosed else { return true }
      state.queue.putBack(live, urgentBatchLimit: configuration.urgentBatchLimit)
      return false
    }
    if closed { for work in live { work.end(.neverSent(.stopped)) } }
    endOverdue(over)
    wakeHome()
    openIfNeeded()
  }

  func becameReady(_ number: UInt32) { state.withLock { $0.became(ready: number) } }

  func left(_ number: UInt32) {
    state.withLock { $0.left(number) }
    openIfNeeded()
  }

  func refused() { state.withLock { $0.refused() } }

  /// A connection could not be made. Once that is an outage, everything that waits ends now: whoever sends knows better
  /// than this queue what to do about it.
  func connectFailed(_ number: UInt32, code: Int, text: String) {
    let (wait, given): (UInt64, [Work]) = state.withLock { state in
      let now = Clocks.monotonic()
      let wait = state.connectFailed(number, code: code, now: now, jitter: Double.random(in: 0...1))
      return (wait, state.outage(now: now) == nil ? [] : state.queue.takeAll())
    }
    for work in given { work.end(.neverSent(.noConnection(code: code))) }
    observe(.connectFailed(pool: label, connection: number, code: code, text, retryAfter: .nanoseconds(Int64(wait))))
    wakeHome()
  }

  /// Called by the home loop a few times a second while requests wait.
  func tick() {
    let expired = state.withLock { state in
      state.queue.takeExpired(monotonic: Clocks.monotonic(), boot: Clocks.boot())
    }
    endOverdue(expired)
    openIfNeeded()
  }

  // MARK: - Private

  private func enqueue(_ batch: Batch) {
    let isUrgent = batch.count <= configuration.urgentBatchLimit
    enum Answer {
      case refused(NeverSentCause)
      case queued(loops: [Int], covered: Bool)
    }
    let answer: Answer = state.withLock { state in
      if state.isClosed { return .refused(.stopped) }
      if let code = state.outage(now: Clocks.monotonic()) { return .refused(.noConnection(code: code)) }
      if state.queue.count + batch.count > configuration.queueLimit { return .refused(.queueFull) }
      state.queue.append(batch, urgent: isUrgent)
      let (loops, covered) = state.loopsToWake(for: batch.count)
      return .queued(loops: loops, covered: covered)
    }
    switch answer {
    case .refused(let cause):
      for index in 0..<batch.count { batch.end(index, .neverSent(cause)) }
    case .queued(let woken, let covered):
      for loop in woken { loops[loop].wake() }
      guard !covered else { return }
      openIfNeeded()
      if !woken.contains(home) { wakeHome() }
    }
  }

  private func openIfNeeded() {
    let now = Clocks.monotonic()
    let place: (number: UInt32, loop: Int)? = state.withLock { state in
      guard state.shouldOpen(now: now) else { return nil }
      let loop = leastUsedLoop(state.members)
      let number = numbers.next()
      state.opened(number, loop: loop, now: now)
      return (number, loop)
    }
    if let place { loops[place.loop].open(place.number, for: self) }
  }

  private func leastUsedLoop(_ members: [PoolState.Member]) -> Int {
    var counts = [Int](repeating: 0, count: loops.count)
    for member in members { counts[member.loop] += 1 }
    let order = (0..<loops.count).map { ($0 + home) % loops.count }
    return order.min { counts[$0] < counts[$1] } ?? 0
  }

  private func endOverdue(_ works: [Work]) {
    guard !works.isEmpty else { return }
    let boot = Clocks.boot()
    let failure = state.withLock { $0.lastFailure }
    for work in works {
      let cause: NeverSentCause =
        work.batch.handOverBefore <= boot ? .leaseExpired : failure.map { .noConnection(code: $0) } ?? .deadline
      work.end(.neverSent(cause))
    }
  }

  private func wakeHome() { loops[home].wake() }
}
