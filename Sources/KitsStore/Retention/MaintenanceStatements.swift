import KitsCore
import Postgres

/// What one node at a time does for all.
package enum MaintenanceTask: String, Sendable, CaseIterable {
  /// Drops old days and forgets old keys.
  case retention
  /// Removes owners of tokens that are not in use any more.
  case tokenOwners = "token_owners"
  /// Forgets old identity operations, tombstones and counts of refused proofs.
  case identity
  /// Forgets old events of the feed and what endpoints never took.
  case outbox
  /// Forgets old entries of the audit log.
  case audit
  /// Counts what reports show.
  case reports
}

/// Takes a task that is due and that nobody else has, for ten minutes.
struct ClaimMaintenance: Statement {
  let task: MaintenanceTask
  let owner: Int64
  /// Due when it was last done before this.
  let doneBefore: Timestamp

  static let sql = """
    UPDATE maintenance
    SET lease_owner = $2,
      lease_until = now() + interval '10 minutes'
    WHERE task = $1 AND lease_until < now() AND done_at < $3
    RETURNING true
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(task.rawValue)
    parameters.add(owner)
    parameters.add(timestamp: doneBefore.microseconds)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool {
    try row.bool()
  }
}

/// Keeps a task for ten more minutes. No row: another node has it.
struct RenewMaintenance: Statement {
  let task: MaintenanceTask
  let owner: Int64

  static let sql = """
    UPDATE maintenance
    SET lease_until = now() + interval '10 minutes'
    WHERE task = $1 AND lease_owner = $2 AND lease_until > now()
    RETURNING true
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(task.rawValue)
    parameters.add(owner)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool {
    try row.bool()
  }
}

/// Gives a task back; `doneAt` when it was done to the end.
struct ReleaseMaintenance: Statement {
  let task: MaintenanceTask
  let owner: Int64
  let doneAt: Timestamp?

  static let sql = """
    UPDATE maintenance
    SET lease_until = '-infinity',
      done_at = coalesce($3, done_at)
    WHERE task = $1 AND lease_owner = $2
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(task.rawValue)
    parameters.add(owner)
    parameters.add(timestamp: doneAt?.microseconds)
  }

  typealias Row = NoRow
}

/// The clock that decides between nodes.
struct ReadClock: Statement {
  static let sql = "SELECT now()"

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Timestamp {
    Timestamp(microseconds: try row.timestamp())
  }
}
