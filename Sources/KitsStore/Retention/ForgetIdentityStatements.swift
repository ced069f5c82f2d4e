import KitsCore
import Postgres

/// Identity operations can be replayed for 90 days.
struct ForgetIdentityOperations: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = OldRows.delete(from: "identity_operation", by: "created_at")

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  typealias Row = NoRow
}

/// A proof lives an hour at most, so a tombstone is long of no use when it goes.
struct ForgetErasedUsers: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = OldRows.delete(from: "erased_user", by: "erased_at")

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  typealias Row = NoRow
}

/// Counts of refused proofs, one row for each app, day and cause.
struct ForgetRejections: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = OldRows.delete(from: "identity_rejection", by: "last_at")

  func bind(to parameters: inout Parameters) {
    OldRows.bind(before: before, limit: limit, to: &parameters)
  }

  typealias Row = NoRow
}
