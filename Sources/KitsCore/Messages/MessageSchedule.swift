/// When a message starts that doesn't start at once.
package enum MessageSchedule: Sendable, Equatable {
  case at(Timestamp)
  case local(LocalSchedule)

  /// The first moment at which it may be planned.
  package var startsAt: Timestamp {
    switch self {
    case .at(let time): time
    case .local(let local): local.first
    }
  }

  /// The last moment at which somebody's time comes.
  package var lastAt: Timestamp {
    switch self {
    case .at(let time): time
    case .local(let local): local.last
    }
  }
}

/// A wall-clock time that each recipient's zone reaches at its own moment.
package struct LocalSchedule: Sendable, Equatable {
  /// The time on the wall, as if it were UTC's.
  package let at: Timestamp
  package let zonesPast: ZonesPast
  /// Of recipients whose zone is unknown; UTC without one.
  package let defaultZone: String?

  package init(at: Timestamp, zonesPast: ZonesPast, defaultZone: String?) {
    self.at = at
    self.zonesPast = zonesPast
    self.defaultZone = defaultZone
  }

  /// The clocks of the world are at most 14 hours ahead of UTC's (Kiritimati) and 12 behind (Baker Island).
  package static let eastmostSeconds: Int64 = 14 * 3_600
  package static let westmostSeconds: Int64 = 12 * 3_600

  /// When the first zone on earth reaches it.
  package var first: Timestamp { at.advanced(bySeconds: -Self.eastmostSeconds) }
  /// When the last one does.
  package var last: Timestamp { at.advanced(bySeconds: Self.westmostSeconds) }
}

/// What becomes of recipients whose zone had passed the time when it was chosen.
package enum ZonesPast: Int16, Sendable, CaseIterable {
  /// Not sent to, and counted as suppressed.
  case skip = 1
  /// Sent to at once.
  case now = 2

  package var name: String { self == .skip ? "skip" : "now" }
}

extension Timestamp {
  package func advanced(bySeconds seconds: Int64) -> Timestamp {
    Timestamp(microseconds: microseconds + seconds * 1_000_000)
  }
}
