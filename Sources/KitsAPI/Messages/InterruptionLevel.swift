/// How much a notification may interrupt; Apple's words.
enum InterruptionLevel: String, Sendable, CaseIterable {
  case passive
  case active
  case timeSensitive = "time-sensitive"
  case critical

  /// What a caller may write. The underscore is what everything else in this API has, so it is taken too.
  static let spellings: [String: InterruptionLevel] = [
    "passive": .passive, "active": .active, "time-sensitive": .timeSensitive, "time_sensitive": .timeSensitive,
    "critical": .critical,
  ]
}
