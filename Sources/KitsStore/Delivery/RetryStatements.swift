package import KitsCore
import Postgres

/// A retry under lease: `attempting` is committed, so that a crash from here on is known as "unknown".
package struct ClaimedRetry: Sendable {
  package let address: DeliveryAddress
  package let epoch: Int32
  /// Attempts including the one that is about to be made.
  package let attempts: Int32
  /// An earlier owner had begun to send and never said how it ended.
  package let wasAttempting: Bool
  /// It was sent again after an attempt whose result is unknown, so the device may have it whatever came since.
  package let wasResent: Bool
  /// How the last attempt that was recorded ended.
  package let lastReason: String
  package let messageState: MessageState
  package let isExpired: Bool
  package let recipient: Recipient
}

/// Takes due retries under a lease, joined with their installations as they are now. A pause holds those of live
/// messages; those of ended ones get their outcome all the same.
///
/// As with chunks, none is taken over within 15 seconds of the database's start: its owner may be about to write.
struct ClaimRetries: Statement {
  let owner: Int64
  let limit: Int32
  let leaseSeconds: Int32

  static let sql = """
    WITH c AS MATERIALIZED (
      SELECT r.app_no, r.message_no, r.chunk_no, r.idx, r.attempting
      FROM delivery_retry r
      WHERE r.not_before <= now() AND r.lease_until < now()
        AND (r.lease_until = '-infinity' OR pg_postmaster_start_time() < now() - interval '15 seconds')
        AND NOT EXISTS (
          SELECT
          FROM app_circuit z
          JOIN message m ON m.app_no = r.app_no AND m.message_no = r.message_no
          WHERE z.app_no = r.app_no AND z.apns_environment = r.apns_environment AND z.state = 2 AND m.state = 2
            AND m.expires_at > now()
        )
      ORDER BY r.not_before
      LIMIT $2
      FOR NO KEY UPDATE SKIP LOCKED
    ),
    u AS (
      UPDATE delivery_retry r
      SET attempting = true,
        epoch = r.epoch + 1,
        attempts = r.attempts + 1,
        lease_owner = $1,
        lease_until = now() + $3 * interval '1 second'
      FROM c
      WHERE r.app_no = c.app_no AND r.message_no = c.message_no AND r.chunk_no = c.chunk_no AND r.idx = c.idx
      RETURNING r.app_no, r.message_no, r.chunk_no, r.idx, r.epoch, r.attempts, r.last_reason,
        c.attempting AS was_attempting
    )
    SELECT u.app_no, u.message_no, u.chunk_no, u.epoch, u.attempts, u.was_attempting, s.resent IS NOT NULL,
      u.last_reason, m.state, m.expires_at <= now(),
      \(RecipientRow.columns)
    FROM u
    JOIN message m USING (app_no, message_no)
    JOIN message_chunk k USING (app_no, message_no, chunk_no)
    LEFT JOIN delivery_summary s ON s.app_no = u.app_no AND s.message_no = u.message_no AND s.chunk_no = u.chunk_no
      AND s.idx = u.idx AND s.resent
    CROSS JOIN LATERAL (
      SELECT u.idx, k.members[u.idx + 1] AS no, k.binding_nos[u.idx + 1] AS binding,
        get_byte(k.outcomes, u.idx)::smallint AS outcome
    ) x
    LEFT JOIN installation i ON i.app_no = u.app_no AND i.installation_no = x.no
    \(RecipientRow.owner)
    \(RecipientRow.pause)
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(owner)
    parameters.add(limit)
    parameters.add(leaseSeconds)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ClaimedRetry {
    let app = AppNumber(try row.int64())
    let message = MessageNumber(try row.int64())
    let chunk = try row.int32()
    let epoch = try row.int32()
    let attempts = try row.int32()
    let wasAttempting = try row.bool()
    let wasResent = try row.bool()
    let lastReason = try row.string()
    let state = try row.known(MessageState.self)
    let isExpired = try row.bool()
    let recipient = try RecipientRow.decode(&row)
    return ClaimedRetry(
      address: DeliveryAddress(app: app, message: message, chunk: chunk, index: recipient.index), epoch: epoch,
      attempts: attempts, wasAttempting: wasAttempting, wasResent: wasResent, lastReason: lastReason,
      messageState: state, isExpired: isExpired, recipient: recipient)
  }
}

/// How one attempt of a retry ended.
package struct RetryResult: Sendable {
  package let address: DeliveryAddress
  package let epoch: Int32
  package let status: Int32
  package let reason: String
  package let resent: Bool
  package let next: Next
  /// Where it goes now, when that is known to have changed; a pause of that environment holds it.
  package let environment: APNsEnvironment?

  package init(
    address: DeliveryAddress, epoch: Int32, status: Int32, reason: String, resent: Bool, next: Next,
    environment: APNsEnvironment? = nil
  ) {
    self.address = address
    self.epoch = epoch
    self.status = status
    self.reason = reason
    self.resent = resent
    self.next = next
    self.environment = environment
  }

  package enum Next: Sendable, Equatable {
    case final(OutcomeCode)
    case again(delayMilliseconds: Int64)
  }
}

/// Ends a retry: its byte is patched and its row deleted under its epoch; a summary stays.
struct FinishRetry: Statement {
  let result: RetryResult
  let owner: Int64
  let outcome: OutcomeCode

  static let sql = """
    WITH r AS (
      DELETE FROM delivery_retry r
      WHERE \(RetrySQL.isOwn)
      RETURNING r.attempts
    ),
    k AS (
      UPDATE message_chunk k
      SET outcomes = set_byte(k.outcomes, $4, $7),
        last_at = now()
      FROM r
      WHERE k.app_no = $1 AND k.message_no = $2 AND k.chunk_no = $3 AND get_byte(k.outcomes, $4) = 2
    )
    \(RetrySQL.summary)
    """

  func bind(to parameters: inout Parameters) {
    RetrySQL.bind(result, of: owner, to: &parameters) { $0.add(Int32(outcome.byte)) }
  }

  typealias Row = NoRow
}

/// Puts a retry back for later, under its epoch.
struct PostponeRetry: Statement {
  let result: RetryResult
  let owner: Int64
  let delayMilliseconds: Int64

  static let sql = """
    WITH r AS (
      UPDATE delivery_retry r
      SET attempting = false,
        lease_until = '-infinity',
        not_before = now() + $7 * interval '1 millisecond',
        last_status = $8,
        last_reason = $9,
        apns_environment = coalesce($11, r.apns_environment)
      WHERE \(RetrySQL.isOwn)
      RETURNING r.attempts
    )
    \(RetrySQL.summary)
    """

  func bind(to parameters: inout Parameters) {
    RetrySQL.bind(result, of: owner, to: &parameters) { $0.add(delayMilliseconds) }
    parameters.add(result.environment?.rawValue)
  }

  typealias Row = NoRow
}
