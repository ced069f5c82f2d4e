import Glibc

/// The two clocks of this target, in nanoseconds.
///
/// `boot` also runs while the machine sleeps, so a lease taken on it has run out after a long suspension.
/// `monotonic` measures waiting.
package enum Clocks {
  package static func boot() -> UInt64 { read(CLOCK_BOOTTIME) }
  package static func monotonic() -> UInt64 { read(CLOCK_MONOTONIC) }

  private static func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

extension Duration {
  /// Whole nanoseconds, never negative.
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }

  var milliseconds: Int { Int(nanoseconds / 1_000_000) }
}
