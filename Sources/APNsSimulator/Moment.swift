import Foundation

/// The two clocks: wall time for what is compared with clients' clocks and shown, monotonic time for deadlines.
enum Moment {
  static var wallMicroseconds: Int64 {
    let now = read(CLOCK_REALTIME)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
  }

  static var monotonicNanoseconds: UInt64 {
    let now = read(CLOCK_MONOTONIC)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var now = timespec()
    clock_gettime(clock, &now)
    return now
  }
}
