/// What a pool knows about itself, and its decisions. Pure: time comes in, decisions go out.
struct PoolState {
  /// A connection as the pool sees it. A draining one is no member any more.
  struct Member {
    let number: UInt32
    let loop: Int
    /// Connecting until the first answer.
    var isReady = false
    /// Free places when it last asked for work; the pool wakes only members with room.
    var room = 0
  }

  let configuration: HTTP2Configuration
  var queue = PoolQueue()
  private(set) var members: [Member] = []
  /// Requests in flight that one connection may have now; falls with refusals, rises with answers.
  private(set) var window: Int
  private(set) var failures = 0
  private(set) var lastFailure: Int?
  private var answersSinceRaise = 0
  private var openNotBefore: UInt64 = 0
  var isClosed = false

  init(configuration: HTTP2Configuration) {
    self.configuration = configuration
    window = configuration.window
  }

  // MARK: - Growth

  /// Whether to open one more connection now. Never more than one at a time, nor faster than `connectInterval`.
  func shouldOpen(now: UInt64) -> Bool {
    guard !isClosed, queue.count > 0, now >= openNotBefore else { return false }
    guard members.count < configuration.connectionsPerPool, !members.contains(where: { !$0.isReady }) else {
      return false
    }
    return members.isEmpty || queue.count > members.count * window
  }

  mutating func opened(_ number: UInt32, loop: Int, now: UInt64) {
    members.append(Member(number: number, loop: loop))
    openNotBefore = now + configuration.connectInterval.nanoseconds
  }

  mutating func became(ready number: UInt32) {
    guard let place = members.firstIndex(where: { $0.number == number }) else { return }
    members[place].isReady = true
    failures = 0
    lastFailure = nil
  }

  /// Why nothing can be sent now: several connections in a row could not be made, or one in a way that trying again
  /// can't change, and the next try is still to come.
  func outage(now: UInt64) -> Int? {
    guard let lastFailure, members.isEmpty, now < openNotBefore else { return nil }
    let isLasting = failures >= Self.failuresOfOutage || TransferVerdict.isConfigurationFault(lastFailure)
    return isLasting ? lastFailure : nil
  }

  /// A server that restarts refuses once or twice; requests wait that long.
  private static let failuresOfOutage = 3

  mutating func left(_ number: UInt32) { members.removeAll { $0.number == number } }

  /// A connection ended before it gave an answer. Returns how long to wait.
  mutating func connectFailed(_ number: UInt32, code: Int, now: UInt64, jitter: Double) -> UInt64 {
    left(number)
    failures += 1
    lastFailure = code
    let base = configuration.connectInterval.nanoseconds
    let limit = max(base, configuration.connectBackoffLimit.nanoseconds)
    let pause = min(limit, base << UInt64(min(failures - 1, 16)))
    let wait = pause / 2 + UInt64(Double(pause / 2) * jitter)
    openNotBefore = max(openNotBefore, now + wait)
    return wait
  }

  // MARK: - Window

  /// The server refused streams: half as many from now on.
  mutating func refused() {
    window = max(1, window / 2)
    answersSinceRaise = 0
  }

  /// One more stream for every window of answers, up to the configured one.
  mutating func answered(_ count: Int) {
    guard window < configuration.window else { return }
    answersSinceRaise += count
    guard answersSinceRaise >= window else { return }
    answersSinceRaise = 0
    window += 1
  }

  // MARK: - Work

  mutating func take(_ number: UInt32, room: Int, urgentRoom: Int, into works: inout [Work]) {
    guard let place = members.firstIndex(where: { $0.number == number }) else { return }
    let before = works.count
    let ready = max(1, members.count { $0.isReady })
    let share = max(8, (queue.count + ready - 1) / ready)
    queue.take(room: min(room, share), urgentRoom: urgentRoom, into: &works)
    members[place].room = max(0, room - (works.count - before))
  }

  /// The loops to wake for `count` new requests: those whose connections have room, as few as will do.
  func loopsToWake(for count: Int) -> (loops: [Int], covered: Bool) {
    var left = count
    var loops: [Int] = []
    for member in members.sorted(by: { $0.room > $1.room }) where member.room > 0 && left > 0 {
      if !loops.contains(member.loop) { loops.append(member.loop) }
      left -= member.room
    }
    return (loops, left <= 0)
  }
}
