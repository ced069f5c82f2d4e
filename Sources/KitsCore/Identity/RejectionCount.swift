/// How often proofs of an app were refused for a cause on a day.
package struct RejectionCount: Sendable, Equatable {
  package let app: AppID
  /// `2026-11-30`, in UTC.
  package let day: String
  package let cause: String
  /// The policy was in shadow: they were let through.
  package let wasOverlooked: Bool
  package let count: Int64
  package let lastAt: Timestamp

  package init(app: AppID, day: String, cause: String, wasOverlooked: Bool, count: Int64, lastAt: Timestamp) {
    self.app = app
    self.day = day
    self.cause = cause
    self.wasOverlooked = wasOverlooked
    self.count = count
    self.lastAt = lastAt
  }
}
