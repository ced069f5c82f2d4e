/// When the server received what devices confirmed of a message, hour by hour (K12).
package struct Timeline: Sendable, Equatable {
  package let tracking: Tracking
  /// Without gaps, from the first hour in which something came to the last, or to now as long as the message is young.
  /// Empty before anything came.
  package let hours: [Hour]
  /// When it was read.
  package let readAt: Timestamp
  /// Whether more is to be expected soon.
  package let isYoung: Bool

  package struct Hour: Sendable, Equatable {
    package let start: Timestamp
    package let received: Int64
    package let clicked: Int64

    package init(start: Timestamp, received: Int64, clicked: Int64) {
      self.start = start
      self.received = received
      self.clicked = clicked
    }
  }

  /// - Parameters:
  ///   - counted: the hours in which something came, in their order, each at its full hour.
  ///   - startedAt: nil while nothing was sent.
  package init(tracking: Tracking, counted: [Hour], startedAt: Timestamp?, readAt: Timestamp) {
    self.tracking = tracking
    self.readAt = readAt
    let age = startedAt.map { readAt.seconds - $0.seconds } ?? 0
    isYoung = tracking.events && age < Limits.timelineYoungSeconds
    hours = Self.filled(counted, upTo: isYoung ? readAt : nil)
  }

  package var received: Int64 { hours.reduce(0) { $0 + $1.received } }
  package var clicked: Int64 { hours.reduce(0) { $0 + $1.clicked } }

  private static let hour: Int64 = 3_600_000_000

  private static func filled(_ counted: [Hour], upTo now: Timestamp?) -> [Hour] {
    guard let first = counted.first, let last = counted.last else { return [] }
    let end = max(last.start.microseconds, now?.microseconds ?? Int64.min)
    var rest = counted[...]
    return stride(from: first.start.microseconds, through: end, by: Int.Stride(hour)).map { start in
      let start = Timestamp(microseconds: start)
      if let next = rest.first, next.start == start { return rest.removeFirst() }
      return Hour(start: start, received: 0, clicked: 0)
    }
  }
}
