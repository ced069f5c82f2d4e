import KitsStore

extension RetentionSweeper {
  /// Imported installations whose device has registered. False when the turn ended before all were looked at.
  func sweepReplacedImports(_ turn: RetentionTurn) async throws -> Bool {
    var place = InstallationPlace.start
    var removed = 0
    while let step = try await store.sweepReplacedImports(after: place, limit: rowsPerStep) {
      place = step.place
      removed += Int(step.removed)
      guard try await turn.goesOn() else { return false }
    }
    report("installation", removed)
    return true
  }
}
