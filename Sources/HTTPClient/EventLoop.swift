internal import CCurl
import Glibc

/// One thread that runs the connections given to it, with epoll and libcurl's socket interface.
///
/// `@unchecked Sendable`: everything but `mailbox`, `epoll` and `event` is touched by the loop thread alone; those
/// three are constants, the mailbox with its own lock.
final class EventLoop: @unchecked Sendable {
  private enum Command: Sendable {
    case open(UInt32, ConnectionPool)
    case adopt(ConnectionPool)
    case stop(graceUntil: UInt64, CheckedContinuation<Void, Never>)
  }

  private struct Mailbox {
    var commands: [Command] = []
    /// The event descriptor was written and not read yet: no need to write again.
    var isSignalled = false
    var isStopped = false
  }

  /// How often deadlines and silence are looked at while anything is under way.
  private static let housekeeping: UInt64 = 100_000_000

  /// How often one connection may act in a row.
  private static let passes = 4

  private let mailbox = Locked(Mailbox())
  private let epoll: Int32
  private let event: Int32

  private var connections: [UInt32: Connection] = [:]
  private var pools: [ConnectionPool] = []
  private var nextHousekeeping: UInt64 = 0
  private var stopping: (graceUntil: UInt64, continuation: CheckedContinuation<Void, Never>)?

  init() throws(HTTPClientError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .system(call: "epoll_create1", errno: errno) }
    event = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard event >= 0 else { throw .system(call: "eventfd", errno: errno) }
    var interest = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: 0))
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, event, &interest) == 0 else {
      throw .system(call: "epoll_ctl", errno: errno)
    }
    try LoopThread.start { self.run() }
  }

  deinit {
    close(epoll)
    close(event)
  }

  // MARK: - From anywhere

  func wake() { post(nil) }
  func open(_ number: UInt32, for pool: ConnectionPool) { post(.open(number, pool)) }
  func adopt(_ pool: ConnectionPool) { post(.adopt(pool)) }

  /// Returns when the thread has ended.
  func stop(grace: Duration) async {
    let until = Clocks.monotonic() + grace.nanoseconds
    await withCheckedContinuation { post(.stop(graceUntil: until, $0)) }
  }

  private func post(_ command: Command?) {
    let (mustSignal, isStopped) = mailbox.withLock { box in
      guard !box.isStopped else { return (false, true) }
      if let command { box.commands.append(command) }
      defer { box.isSignalled = true }
      return (!box.isSignalled, false)
    }
    if mustSignal { eventfd_write(event, 1) }
    if isStopped, case .stop(_, let continuation) = command { continuation.resume() }
  }

  // MARK: - The loop thread

  private func run() {
    var events = [epoll_event](repeating: epoll_event(), count: 64)
    while true {
      let count = epoll_wait(epoll, &events, Int32(events.count), timeout())
      for event in events.prefix(Int(max(0, count))) { handle(event) }
      let now = Clocks.monotonic()
      for connection in connections.values where connection.timerDue <= now { connection.actOnTimer() }
      takeTurns()
      if now >= nextHousekeeping { keepHouse(now) }
      closeDone()
      if let stopping, connections.isEmpty { return finish(stopping.continuation) }
      for connection in connections.values { connection.tellEpoll() }
    }
  }

  private func handle(_ event: epoll_event) {
    let data = event.data.u64
    guard data != 0 else { return readMailbox() }
    guard let connection = connections[UInt32(data >> 32)] else { return }
    connection.act(on: Int32(bitPattern: UInt32(truncatingIfNeeded: data)), events: event.events)
  }

  private func readMailbox() {
    var value: eventfd_t = 0
    eventfd_read(event, &value)
    let commands = mailbox.withLock { box in
      box.isSignalled = false
      defer { box.commands.removeAll() }
      return box.commands
    }
    for command in commands { obey(command) }
    nextHousekeeping = 0
  }

  private func obey(_ command: Command) {
    switch command {
    case .adopt(let pool): pools.append(pool)
    case .open(let number, let pool): openConnection(number, pool)
    case .stop(let until, let continuation): stopping = (until, continuation)
    }
  }

  private func openConnection(_ number: UInt32, _ pool: ConnectionPool) {
    do {
      connections[number] = try Connection(number: number, pool: pool, epoll: epoll)
      pool.observe(.connecting(pool: pool.label, connection: number))
    } catch {
      pool.connectFailed(number, code: Int(CURLE_OUT_OF_MEMORY.rawValue), text: error.description)
    }
  }

  /// Collecting and refilling, and straight on to libcurl with what was refilled: its timer is due at once. What that
  /// ends is collected in the same pass, up to a bound, so that no connection keeps the others waiting.
  private func takeTurns() {
    for connection in connections.values {
      connection.turn(isStopping: stopping != nil)
      for _ in 0..<Self.passes where connection.timerDue <= Clocks.monotonic() {
        connection.actOnTimer()
        connection.turn(isStopping: stopping != nil)
      }
      connection.flush()
    }
  }

  private func keepHouse(_ now: UInt64) {
    nextHousekeeping = now + Self.housekeeping
    for connection in connections.values {
      connection.keepHouse(now: now)
      if let stopping, now >= stopping.graceUntil { connection.drop(.stopped) }
    }
    for pool in pools where pool.hasWaiting { pool.tick() }
    pools.removeAll { $0.isClosed }
  }

  private func closeDone() {
    for connection in connections.values where connection.isDone {
      connections[connection.number] = nil
      connection.pool.observe(
        .closed(pool: connection.pool.label, connection: connection.number, answers: connection.answers))
    }
  }

  /// Milliseconds to sleep: until libcurl's next timer, or the next look at deadlines when there are any.
  private func timeout() -> Int32 {
    var due = connections.values.reduce(UInt64.max) { min($0, $1.timerDue) }
    let isBusy = connections.values.contains { !$0.inFlight.isEmpty } || pools.contains { $0.hasWaiting }
    if isBusy || stopping != nil { due = min(due, nextHousekeeping) }
    guard due != .max else { return -1 }
    let now = Clocks.monotonic()
    return due <= now ? 0 : Int32(min((due - now + 999_999) / 1_000_000, 60_000))
  }

  private func finish(_ continuation: CheckedContinuation<Void, Never>) {
    let rest = mailbox.withLock { box in
      box.isStopped = true
      defer { box.commands.removeAll() }
      return box.commands
    }
    for case .stop(_, let other) in rest { other.resume() }
    pools.removeAll()
    continuation.resume()
  }
}
