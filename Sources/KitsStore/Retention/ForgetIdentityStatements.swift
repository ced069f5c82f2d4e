import KitsCore
import Postgres

/// Identity operations can be replayed for 90 days.
struct ForgetIdentityOperations: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = """
    DELETE FROM identity_operation
    WHERE created_at < $1
      AND ctid = ANY (ARRAY(SELECT k.ctid FROM identity_operation k WHERE k.created_at < $1 LIMIT $2))
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(timestamp: before.microseconds)
    parameters.add(limit)
  }

  typealias Row = NoRow
}

/// A proof lives an hour at most, so a tombstone is long of no use when it goes.
struct ForgetErasedUsers: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = """
    DELETE FROM erased_user
    WHERE erased_at < $1
      AND ctid = ANY (ARRAY(SELECT z.ctid FROM erased_user z WHERE z.erased_at < $1 LIMIT $2))
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(timestamp: before.microseconds)
    parameters.add(limit)
  }

  typealias Row = NoRow
}

/// Counts of refused proofs, one row for each app, day and cause.
struct ForgetRejections: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = """
    DELETE FROM identity_rejection
    WHERE last_at < $1
      AND ctid = ANY (ARRAY(SELECT j.ctid FROM identity_rejection j WHERE j.last_at < $1 LIMIT $2))
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(timestamp: before.microseconds)
    parameters.add(limit)
  }

  typealias Row = NoRow
}
