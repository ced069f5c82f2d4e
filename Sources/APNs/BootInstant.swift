import HTTPClient

/// A moment on CLOCK_BOOTTIME, which also runs while the machine or the process sleeps.
package struct BootInstant: Sendable, Hashable, Comparable {
  /// Since the machine started.
  package let nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  package static var now: BootInstant { BootInstant(nanoseconds: Clocks.boot()) }
  package static let distantFuture = BootInstant(nanoseconds: .max)

  /// Stops at the ends of the range.
  package func advanced(by duration: Duration) -> BootInstant {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return BootInstant(nanoseconds: seconds < 0 ? 0 : .max) }
    let step = whole + attoseconds / 1_000_000_000
    let sum =
      step < 0
      ? nanoseconds.subtractingReportingOverflow(step.magnitude) : nanoseconds.addingReportingOverflow(UInt64(step))
    return BootInstant(nanoseconds: sum.overflow ? (step < 0 ? 0 : .max) : sum.partialValue)
  }

  package static func < (a: BootInstant, b: BootInstant) -> Bool { a.nanoseconds < b.nanoseconds }
}
