import KitsCore
import Postgres

/// What the two ends of an attempt share: whose row it is, and the summary that stays of it.
enum RetrySQL {
  /// The row `r` is still that of the attempt.
  static let isOwn = """
    r.app_no = $1 AND r.message_no = $2 AND r.chunk_no = $3 AND r.idx = $4 AND r.epoch = $5
        AND r.lease_owner = $6
    """

  /// Expects `r (attempts)`, of the row that was the attempt's.
  static let summary = """
    INSERT INTO delivery_summary AS d (app_no, message_no, chunk_no, idx, attempts, last_status, last_reason, resent)
    SELECT $1, $2, $3, $4, r.attempts, $8, $9, $10
    FROM r
    ON CONFLICT (app_no, message_no, chunk_no, idx) DO UPDATE
      SET attempts = excluded.attempts, last_status = excluded.last_status, last_reason = excluded.last_reason,
        resent = d.resent OR excluded.resent
    """

  /// Adds $1 to $10.
  /// - Parameter ownParameter: adds $7, the one in which the two differ.
  static func bind(
    _ result: RetryResult, of owner: Int64, to parameters: inout Parameters, _ ownParameter: (inout Parameters) -> Void
  ) {
    parameters.add(result.address.app.value)
    parameters.add(result.address.message.value)
    parameters.add(result.address.chunk)
    parameters.add(result.address.index)
    parameters.add(result.epoch)
    parameters.add(owner)
    ownParameter(&parameters)
    parameters.add(result.status)
    parameters.add(result.reason)
    parameters.add(result.resent)
  }
}
