/// How long an exchange may still wait, and whether the server was already asked to stop.
struct StatementWait {
  private(set) var deadline: ContinuousClock.Instant
  /// Why the server was asked to stop; from then on `deadline` is the end of the grace.
  private(set) var cancelled: PostgresError?
  private let grace: Duration

  init(deadline: ContinuousClock.Instant, grace: Duration) {
    self.deadline = deadline
    self.grace = grace
  }

  mutating func cancel(_ reason: PostgresError) {
    cancelled = reason
    deadline = .now + grace
  }

  var isOver: Bool { deadline <= .now }

  /// For `poll`, rounded up so that it never spins.
  var milliseconds: Int32 { (deadline - .now).pollMilliseconds }
}

extension Duration {
  var pollMilliseconds: Int32 {
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    if seconds >= 1_000_000 { return 1_000_000_000 }
    return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
