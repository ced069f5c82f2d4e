/// A calendar day in UTC, as days since 1970-01-01.
package struct Day: Hashable, Comparable, Sendable {
  package let number: Int32

  package init(_ number: Int32) {
    self.number = number
  }

  /// The day of a moment.
  package init(of time: Timestamp) {
    let seconds = time.seconds
    number = Int32(clamping: (seconds >= 0 ? seconds : seconds - (Self.seconds - 1)) / Self.seconds)
  }

  package var start: Timestamp { Timestamp(microseconds: Int64(number) * Self.seconds * 1_000_000) }

  package func adding(_ days: Int) -> Day { Day(number + Int32(days)) }

  package static func < (left: Day, right: Day) -> Bool { left.number < right.number }

  private static let seconds: Int64 = 86_400
}
