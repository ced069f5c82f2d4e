import KitsCore
import KitsStore

extension RetentionSweeper {
  /// False when the turn ended before everything was done.
  func forgetIdentity(_ now: Timestamp, _ turn: RetentionTurn) async throws -> Bool {
    let operations = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetIdentityOperations(
        before: now.hoursAgo(RetentionRules.identityOperationHours), limit: rowsPerStep)
    }
    guard let operations else { return false }
    report("identity_operation", operations)
    let tombstones = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetErasedUsers(before: now.hoursAgo(RetentionRules.erasedUserHours), limit: rowsPerStep)
    }
    guard let tombstones else { return false }
    report("erased_user", tombstones)
    let rejections = try await turn.repeated(limit: rowsPerStep) {
      try await store.forgetRejections(before: now.hoursAgo(RetentionRules.rejectionHours), limit: rowsPerStep)
    }
    guard let rejections else { return false }
    report("identity_rejection", rejections)
    return true
  }
}
