/// Who has which connection and who waits. Every change is a method here, under the pool's lock; nothing here
/// waits.
struct PoolState {
  typealias Instant = ContinuousClock.Instant
  typealias Answer = Result<Turn, PostgresError>

  /// What a caller gets.
  enum Turn {
    /// A connection that worked a moment ago.
    case use(Connection)
    /// The right to open one more.
    case open
  }

  enum Decision {
    case now(Answer)
    case wait
  }

  struct Waiter {
    let id: UInt64
    let deadline: Instant
    let resume: CheckedContinuation<Answer, Never>
  }

  let size: Int
  let maxWaiters: Int
  let backOff: (first: Duration, most: Duration)

  /// Last in, first out: a small load keeps few connections warm.
  private(set) var idle: [Connection] = []
  /// Idle, leased and being opened.
  private(set) var open = 0
  private(set) var waiters: [Waiter] = []
  private(set) var isClosed = false
  /// After a failed connect: until then callers fail at once with `failure`.
  private var retryAt: Instant?
  private var failure = PostgresError.unavailable("not connected")
  private var pause: Duration
  /// Whether a task sleeps until the next waiter's deadline.
  var isSweeping = false

  init(_ configuration: PoolConfiguration) {
    size = max(1, configuration.size)
    maxWaiters = configuration.maxWaiters
    backOff = configuration.backOff
    pause = configuration.backOff.first
  }

  mutating func ask(now: Instant) -> Decision {
    if isClosed { return .now(.failure(.unavailable("the pool is closed"))) }
    if waiters.isEmpty, let connection = idle.popLast() { return .now(.success(.use(connection))) }
    if open < size, waiters.isEmpty {
      guard let retryAt, retryAt > now else {
        open += 1
        return .now(.success(.open))
      }
      // The server may be refusing more connections while those we have still work.
      if open == 0 { return .now(.failure(failure)) }
    }
    return waiters.count < maxWaiters ? .wait : .now(.failure(.overloaded))
  }

  mutating func enqueue(_ waiter: Waiter) { waiters.append(waiter) }

  /// A connection comes back: the waiter that gets it now, with what he gets.
  mutating func giveBack(_ connection: Connection) -> (Waiter, Answer)? {
    if connection.isBroken || isClosed {
      open -= 1
      guard !waiters.isEmpty, !isClosed else { return nil }
      open += 1
      return (waiters.removeFirst(), .success(.open))
    }
    guard !waiters.isEmpty else {
      idle.append(connection)
      return nil
    }
    return (waiters.removeFirst(), .success(.use(connection)))
  }

  mutating func connected() {
    retryAt = nil
    pause = backOff.first
  }

  /// Nobody is left to bring a connection back when the last one is gone: then all waiters fail with the same
  /// reason.
  mutating func connectFailed(_ error: PostgresError, now: Instant) -> [Waiter] {
    open -= 1
    failure = error
    retryAt = now + pause
    pause = min(pause * 2, backOff.most)
    guard open == 0 else { return [] }
    defer { waiters = [] }
    return waiters
  }

  mutating func removeWaiter(_ id: UInt64) -> Waiter? {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
    return waiters.remove(at: index)
  }

  mutating func removeExpired(now: Instant) -> [Waiter] {
    let expired = waiters.filter { $0.deadline <= now }
    if !expired.isEmpty { waiters.removeAll { $0.deadline <= now } }
    return expired
  }

  mutating func close() -> (connections: [Connection], waiters: [Waiter]) {
    isClosed = true
    defer {
      open -= idle.count
      idle = []
      waiters = []
    }
    return (idle, waiters)
  }
}
