import Foundation

/// The two clocks that are read here.
enum Moment {
  /// Nanoseconds, for differences.
  static var monotonic: UInt64 { clock_gettime_nsec(CLOCK_MONOTONIC) }
  /// Microseconds since 1970, to compare with what other processes of this machine noted.
  static var wallMicroseconds: Int64 { Int64(clock_gettime_nsec(CLOCK_REALTIME) / 1_000) }

  /// Nanoseconds that this thread has computed.
  static var computed: UInt64 { clock_gettime_nsec(CLOCK_THREAD_CPUTIME_ID) }

  static func seconds(since start: UInt64) -> Double { Double(monotonic - start) / 1e9 }

  private static func clock_gettime_nsec(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
