import KitsCore
import KitsStore

/// How long what is kept. Pure.
package struct RetentionRules: Sendable, Equatable {
  /// Days after which the deliveries and contents of ended messages go (`KITS_RETENTION_DAYS`).
  package let days: Int64
  /// Days after which entries of the audit log go (`KITS_AUDIT_RETENTION_DAYS`).
  package let auditDays: Int64

  package init(days: Int64, auditDays: Int64 = RetentionRules.defaultAuditDays) {
    self.days = days
    self.auditDays = auditDays
  }

  /// A year can be compared with the one before.
  package static let defaultAuditDays: Int64 = 400

  /// Days after which the rest of a message goes: its row and its counts.
  package var recordDays: Int64 { max(Self.leastRecordDays, days) }
  /// A year can be compared with the one before.
  package static let leastRecordDays: Int64 = 400

  /// Somewhat longer than each counts, so that nothing goes while a statement still looks at it.
  static let registrationKeyHours: Int64 = 25
  static let idempotencyKeyHours: Int64 = 31 * 24
  static let providerTokenHours: Int64 = 24
  /// A token that was claimed lately is left alone, whatever its installation says.
  static let tokenOwnerHours: Int64 = 24

  static let identityOperationHours: Int64 = 90 * 24
  static let erasedUserHours: Int64 = 30 * 24
  static let rejectionHours: Int64 = 90 * 24
  /// Longer than a year, so that what is set once a season stays.
  static let tagKeyHours: Int64 = 400 * 24

  /// Whether a day is old enough; what is still open in it is another question.
  func isOver(_ partition: ChunkPartition, at now: Timestamp) -> Bool {
    partition.endsAt <= now.hoursAgo(days * 24)
  }

  /// When a task is due again.
  static func hoursBetween(_ task: MaintenanceTask) -> Int64 {
    switch task {
    case .retention, .identity: 1
    case .tokenOwners, .audit: 24
    }
  }
}

extension Timestamp {
  func hoursAgo(_ hours: Int64) -> Timestamp { Timestamp(microseconds: microseconds - hours * 3_600_000_000) }
}
