import KitsCore
import KitsStore

extension RetentionSweeper {
  /// False when the turn ended before everything was done.
  func forgetActivity(_ now: Timestamp, _ turn: RetentionTurn) async throws -> Bool {
    let records = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetActivity(before: now.hoursAgo(RetentionRules.activityHours), limit: rowsPerStep)
    }
    guard let records else { return false }
    report("activity", records)
    let before = now.hoursAgo(RetentionRules.leastRecordDays * 24)
    let days = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetActivityDays(before: before, limit: rowsPerStep)
    }
    guard let days else { return false }
    report("activity_day", days)
    let names = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetActivityNames(before: before, limit: rowsPerStep)
    }
    guard let names else { return false }
    report("activity_name", names)
    return true
  }
}
