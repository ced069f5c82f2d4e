/// The apps that are measured with. Parts that need the same audience share it.
enum BenchApp: String, CaseIterable {
  /// Gets the registrations.
  case registrations
  /// Its users log in.
  case identities
  /// Its devices tell what they received.
  case receipts
  /// Its devices report sessions.
  case sessions
  /// Gets the rows of a file.
  case imports
  /// Many devices whose pushes go to the simulator that only counts.
  case counted
  /// One device whose pushes go to the simulator that notes each.
  case single
  /// Many devices whose pushes go to the simulator that notes each.
  case noted
  /// Many devices with tags and sessions, to be counted by segments.
  case segmented

  var isNoted: Bool { self == .single || self == .noted }
}
