internal import Glibc

/// A point on CLOCK_MONOTONIC, the clock that the lock's waits use as well.
struct Instant: Sendable, Comparable {
  let nanoseconds: Int64

  static var now: Instant {
    var time = Glibc.timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  var timespec: Glibc.timespec {
    Glibc.timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }

  static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  static func + (instant: Instant, duration: Duration) -> Instant {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    // A deadline beyond the clock's end is no deadline.
    guard !nanoseconds.overflow else { return Instant(nanoseconds: .max) }
    let sum = instant.nanoseconds.addingReportingOverflow(nanoseconds.partialValue + attoseconds / 1_000_000_000)
    return Instant(nanoseconds: sum.overflow ? .max : sum.partialValue)
  }

  static func - (left: Instant, right: Instant) -> Duration { .nanoseconds(left.nanoseconds - right.nanoseconds) }
}
