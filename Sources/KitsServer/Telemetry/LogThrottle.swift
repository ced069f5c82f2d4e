/// Lets one line of a kind through per second. An outage fails every request in the same way: the first line says what
/// happened, the next ones how often, and the metrics count each.
final class LogThrottle: Sendable {
  static let interval = Duration.seconds(1)
  /// Kinds that are told apart; what comes beyond them shares one.
  static let kinds = 256

  /// After this long a kind is forgotten when there are many, with its count: an outage is over by then.
  static let memory = Duration.seconds(60)

  private struct Entry: Sendable {
    var last: ContinuousClock.Instant
    var suppressed: Int
  }

  private let entries = Locked<[String: Entry]>([:])

  /// How many lines of the kind were suppressed since the last one; nil when this one is, too.
  func admit(_ kind: String, at now: ContinuousClock.Instant = .now) -> Int? {
    entries.withLock { entries in
      let kind = entries[kind] == nil ? Self.room(for: kind, in: &entries, at: now) : kind
      if var entry = entries[kind], now - entry.last < Self.interval {
        entry.suppressed += 1
        entries[kind] = entry
        return nil
      }
      let suppressed = entries.updateValue(Entry(last: now, suppressed: 0), forKey: kind)?.suppressed
      return suppressed ?? 0
    }
  }

  /// Forgets kinds that were quiet for long; if that isn't enough, the kind is that of all others.
  private static func room(
    for kind: String, in entries: inout [String: Entry], at now: ContinuousClock.Instant
  ) -> String {
    guard entries.count >= kinds else { return kind }
    entries = entries.filter { now - $0.value.last < memory }
    return entries.count < kinds ? kind : ""
  }
}
