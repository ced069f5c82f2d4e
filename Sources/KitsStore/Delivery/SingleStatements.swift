import KitsCore
import Postgres

/// A message with one recipient, under lease and declared. Many of them share one claim and one ack.
package struct ClaimedSingle: Sendable {
  package let window: ChunkWindow
  package let message: DispatchableMessage
}

/// Apps that have single deliveries to take.
struct ListAppsWithSingles: Statement {
  static let sql = """
    SELECT DISTINCT m.app_no
    FROM message m
    WHERE NOT m.settled AND m.plan_done AND m.planned = 1 AND m.state = 2 AND m.expires_at > now()
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> AppNumber {
    AppNumber(try row.int64())
  }
}

/// Takes single deliveries of an app, oldest first, with everything that sending them needs. Those whose environment is
/// paused stay.
struct ClaimSingles: Statement {
  let app: AppNumber
  let owner: Int64
  let limit: Int32
  let leaseSeconds: Int32

  static let sql = """
    WITH c AS MATERIALIZED (
      SELECT m.message_no, m.expires_at, m.local_at, m.on_unknown, m.track_events, m.track_receipts, k.chunk_no, k.prior
      FROM (
        SELECT m.message_no, m.expires_at, m.local_at, m.on_unknown, m.track_events, m.track_receipts
        FROM message m
        WHERE m.app_no = $1 AND NOT m.settled AND m.plan_done AND m.planned = 1 AND m.state = 2 AND m.expires_at > now()
        ORDER BY m.message_no
      ) m
      CROSS JOIN LATERAL (
        SELECT k.chunk_no, k.attempted_to AS prior
        FROM message_chunk k
        WHERE k.app_no = $1 AND k.message_no = m.message_no
          AND NOT k.done AND k.not_before <= now() AND k.lease_until < now()
          AND k.apns_environment <> ALL (\(OpenCircuits.held))
          AND (k.lease_until = '-infinity' OR pg_postmaster_start_time() < now() - interval '15 seconds')
        LIMIT 1
        FOR NO KEY UPDATE OF k SKIP LOCKED
      ) k
      ORDER BY m.message_no
      LIMIT $3
    ),
    m AS (
      UPDATE message_chunk k
      SET lease_until = now() + $4 * interval '1 second',
        lease_owner = $2,
        lease_epoch = k.lease_epoch + 1,
        attempted_to = 1
      FROM c
      WHERE k.app_no = $1 AND k.message_no = c.message_no AND k.chunk_no = c.chunk_no
      RETURNING k.app_no, k.message_no, k.chunk_no, k.lease_epoch, c.prior, c.expires_at, c.local_at, c.on_unknown,
        c.track_events, c.track_receipts, k.members[1] AS no, k.binding_nos[1] AS binding
    )
    SELECT \(DispatchableRow.columns), m.chunk_no, m.lease_epoch, m.prior, $2::bigint, \(RecipientRow.columns)
    FROM m
    CROSS JOIN LATERAL (
      SELECT b.languages, b.payloads, b.push_type, b.priority, b.ttl_seconds, b.collapse_id
      FROM message_body b
      WHERE b.app_no = $1 AND b.message_no = m.message_no
      LIMIT 1
    ) b
    JOIN app a ON a.app_no = $1
    LEFT JOIN apns_key s ON s.app_no = $1
    CROSS JOIN LATERAL (SELECT 0 AS idx, m.no, m.binding, 0::smallint AS outcome) x
    LEFT JOIN installation i ON i.app_no = $1 AND i.installation_no = x.no
    \(RecipientRow.owner)
    \(RecipientRow.pause)
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(owner)
    parameters.add(limit)
    parameters.add(leaseSeconds)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ClaimedSingle {
    let message = try DispatchableRow.decode(&row)
    let chunk = try row.int32()
    let epoch = try row.int32()
    let prior = try row.int32()
    let lease = ChunkLease(
      app: message.app, message: message.number, chunk: chunk, owner: try row.int64(), epoch: epoch)
    let recipient = try RecipientRow.decode(&row)
    return ClaimedSingle(
      window: ChunkWindow(lease: lease, from: 0, priorAttemptedTo: prior, recipients: [recipient]), message: message)
  }
}

/// Writes the outcomes of many single deliveries and completes the messages that have a final one.
///
/// An ack whose epoch is over changes nothing; repeating the statement changes nothing either.
struct AckSingles: Statement {
  let acks: [WindowAck]

  static let sql = """
    WITH r AS MATERIALIZED (
      SELECT *
      FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $5::integer[], $6::smallint[])
        AS u (app_no, message_no, chunk_no, owner, epoch, outcome)
    ),
    k AS (
      UPDATE message_chunk k
      SET outcomes = set_byte(k.outcomes, 0, r.outcome),
        acked_to = 1,
        done = true,
        lease_until = '-infinity',
        first_at = coalesce(k.first_at, now()),
        last_at = now()
      FROM r
      WHERE k.app_no = r.app_no AND k.message_no = r.message_no AND k.chunk_no = r.chunk_no
        AND k.message_no BETWEEN $14 AND $15 AND k.lease_owner = r.owner AND k.lease_epoch = r.epoch AND NOT k.done
      RETURNING k.app_no, k.message_no, k.chunk_no, r.outcome
    ),
    ret AS (
      INSERT INTO delivery_retry (
        app_no, message_no, chunk_no, idx, attempts, last_status, last_reason, not_before, apns_environment
      )
      SELECT k.app_no, k.message_no, k.chunk_no, 0, 1, u.status, u.reason, now() + u.delay * interval '1 millisecond',
        u.apns_environment
      FROM unnest($7::bigint[], $8::bigint[], $9::integer[], $10::text[], $11::bigint[], $16::smallint[])
        AS u (app_no, message_no, status, reason, delay, apns_environment)
      JOIN k USING (app_no, message_no)
      ON CONFLICT DO NOTHING
    ),
    res AS (
      INSERT INTO delivery_summary AS d (app_no, message_no, chunk_no, idx, attempts, last_status, last_reason, resent)
      SELECT k.app_no, k.message_no, k.chunk_no, 0, 2, 0, 'unknown', true
      FROM unnest($12::bigint[], $13::bigint[]) AS u (app_no, message_no)
      JOIN k USING (app_no, message_no)
      ON CONFLICT (app_no, message_no, chunk_no, idx) DO UPDATE
        SET attempts = d.attempts + 1, resent = true
    ),
    f AS (
      UPDATE message m
      SET state = CASE WHEN m.state = 2 THEN 3 ELSE m.state END,
        completed_at = CASE WHEN m.state = 2 THEN now() END,
        settled = true
      FROM k
      WHERE m.app_no = k.app_no AND m.message_no = k.message_no AND k.outcome <> 2 AND m.state IN (2, 4)
        AND NOT m.settled
      RETURNING m.app_no, m.message_id, m.message_no, m.state, m.planned
    ),
    \(OutboxSQL.messages(from: "f", [(.messageCompleted, "m.state = 3")]))
    SELECT k.message_no, f.state IS NOT NULL AND f.state = 3
    FROM k
    LEFT JOIN f USING (message_no)
    """

  /// A message whose outcome was written by this call, and whether that completed it.
  typealias Row = (message: MessageNumber, isCompleted: Bool)

  func bind(to parameters: inout Parameters) {
    parameters.add(acks.map(\.lease.app.value))
    parameters.add(acks.map(\.lease.message.value))
    parameters.add(acks.map(\.lease.chunk))
    parameters.add(acks.map(\.lease.owner))
    parameters.add(acks.map(\.lease.epoch))
    parameters.add(acks.map { Int16($0.outcomes.first ?? OutcomeCode.none.byte) })
    let retries = acks.flatMap { ack in ack.retries.map { (lease: ack.lease, retry: $0) } }
    parameters.add(retries.map(\.lease.app.value))
    parameters.add(retries.map(\.lease.message.value))
    parameters.add(retries.map(\.retry.status))
    parameters.add(retries.map(\.retry.reason))
    parameters.add(retries.map(\.retry.delayMilliseconds))
    let resent = acks.filter { !$0.resent.isEmpty }
    parameters.add(resent.map(\.lease.app.value))
    parameters.add(resent.map(\.lease.message.value))
    parameters.addRange(of: acks.map(\.lease))
    parameters.add(retries.map(\.retry.environment.rawValue))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    (message: MessageNumber(try row.int64()), isCompleted: try row.bool())
  }
}

/// Gives single deliveries back that were surely not handed over. What an earlier owner had declared stays declared.
struct ReleaseSingles: Statement {
  let windows: [ChunkWindow]

  static let sql = """
    UPDATE message_chunk k
    SET lease_until = '-infinity',
      attempted_to = greatest(k.acked_to, u.prior)
    FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bigint[], $5::integer[], $6::integer[])
      AS u (app_no, message_no, chunk_no, owner, epoch, prior)
    WHERE k.app_no = u.app_no AND k.message_no = u.message_no AND k.chunk_no = u.chunk_no AND k.lease_owner = u.owner
      AND k.lease_epoch = u.epoch AND k.message_no BETWEEN $7 AND $8 AND NOT k.done
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(windows.map(\.lease.app.value))
    parameters.add(windows.map(\.lease.message.value))
    parameters.add(windows.map(\.lease.chunk))
    parameters.add(windows.map(\.lease.owner))
    parameters.add(windows.map(\.lease.epoch))
    parameters.add(windows.map(\.priorAttemptedTo))
    parameters.addRange(of: windows.map(\.lease))
  }

  typealias Row = NoRow
}

extension Parameters {
  /// The lowest and the highest message, so that only their partitions are looked at.
  fileprivate mutating func addRange(of leases: [ChunkLease]) {
    add(leases.map(\.message.value).min())
    add(leases.map(\.message.value).max())
  }
}
