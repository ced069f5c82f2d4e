package import KitsCore
import Postgres

/// A chunk under lease. The lease is worth nothing after its deadline; whoever holds it must look before each hand-off.
package struct ChunkLease: Sendable, Equatable {
  package let app: AppNumber
  package let message: MessageNumber
  package let chunk: Int32
  package let owner: Int64
  package let epoch: Int32
}

/// The members of a chunk that were declared as "may be handed to the network now".
package struct ChunkWindow: Sendable, Equatable {
  package let lease: ChunkLease
  /// Index of the first member; everything before has its outcome.
  package let from: Int32
  /// Members below this index were declared by an earlier owner: without an outcome, their result is unknown.
  package let priorAttemptedTo: Int32
  package let recipients: [Recipient]

  /// The same members in parts of at most `count`.
  package func split(by count: Int32) -> [ChunkWindow] {
    let step = max(1, Int(count))
    return stride(from: 0, to: recipients.count, by: step).map { start in
      ChunkWindow(
        lease: lease, from: from + Int32(start), priorAttemptedTo: priorAttemptedTo,
        recipients: Array(recipients[start..<min(recipients.count, start + step)]))
    }
  }
}

/// One member of a window row by row, before they are gathered.
struct WindowMember: Sendable {
  let lease: ChunkLease
  let from: Int32
  let priorAttemptedTo: Int32
  let recipient: Recipient

  static func gather(_ members: [WindowMember]) -> ChunkWindow? {
    guard let first = members.first else { return nil }
    return ChunkWindow(
      lease: first.lease, from: first.from, priorAttemptedTo: first.priorAttemptedTo,
      recipients: members.map(\.recipient))
  }
}

/// Takes one open chunk of a live message under a lease and declares its first window. A chunk whose environment is
/// paused stays.
///
/// A chunk that another node holds is not taken over within 15 seconds of the database's start: that node may be about
/// to write its outcomes.
struct ClaimChunk: Statement {
  let app: AppNumber
  let message: MessageNumber
  let owner: Int64
  let window: Int32
  let leaseSeconds: Int32

  static let sql = """
    WITH \(Throttle.lock),
    c AS MATERIALIZED (
      SELECT c.chunk_no, c.attempted_to AS prior, c.n
      FROM message_chunk c
      WHERE c.app_no = $1 AND c.message_no = $2 AND NOT c.done AND c.not_before <= now() AND c.lease_until < now()
        AND (c.lease_until = '-infinity' OR pg_postmaster_start_time() < now() - interval '15 seconds')
        AND EXISTS (
          SELECT
          FROM message m
          WHERE m.app_no = $1 AND m.message_no = $2 AND m.state = 2 AND m.expires_at > now() AND \(Throttle.isOpen)
        )
        AND c.apns_environment <> ALL (\(OpenCircuits.held))
      ORDER BY c.not_before, c.chunk_no
      LIMIT 1
      FOR NO KEY UPDATE SKIP LOCKED
    ),
    \(Throttle.advance),
    k AS (
      UPDATE message_chunk k
      SET lease_until = now() + $5 * interval '1 second',
        lease_owner = $3,
        lease_epoch = k.lease_epoch + 1,
        attempted_to = greatest(k.attempted_to, least(k.n, k.acked_to + $4))
      FROM c
      WHERE k.app_no = $1 AND k.message_no = $2 AND k.chunk_no = c.chunk_no
      RETURNING k.chunk_no, k.lease_epoch, k.acked_to, k.attempted_to, k.members, k.binding_nos, k.outcomes, c.prior
    )
    SELECT k.chunk_no, k.lease_epoch, k.acked_to, k.prior, $3::bigint, $1::bigint, $2::bigint, \(RecipientRow.columns)
    FROM k
    \(RecipientRow.window(from: "k.acked_to"))
    ORDER BY x.idx
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(message.value)
    parameters.add(owner)
    parameters.add(window)
    parameters.add(leaseSeconds)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> WindowMember {
    let chunk = try row.int32()
    let epoch = try row.int32()
    let from = try row.int32()
    let prior = try row.int32()
    let owner = try row.int64()
    let lease = ChunkLease(
      app: AppNumber(try row.int64()), message: MessageNumber(try row.int64()), chunk: chunk, owner: owner,
      epoch: epoch)
    return WindowMember(
      lease: lease, from: from, priorAttemptedTo: prior, recipient: try RecipientRow.decode(&row))
  }
}

/// The outcomes of one window, and what has to be remembered beside the bytes.
package struct WindowAck: Sendable {
  package let lease: ChunkLease
  package let from: Int32
  /// One byte per member of the window.
  package let outcomes: [UInt8]
  package let retries: [Retry]
  /// Indexes that were sent again although the first result is unknown.
  package let resent: [Int32]
  /// Members below this index are under way or answered: the end of this window, or of a later one. Nothing above it
  /// was handed over.
  package let declaredTo: Int32
  /// How many members behind this window may be declared in all.
  package let nextWindow: Int32

  /// Without `declaredTo` nothing behind this window is under way.
  package init(
    lease: ChunkLease, from: Int32, outcomes: [UInt8], retries: [Retry], resent: [Int32], declaredTo: Int32? = nil,
    nextWindow: Int32
  ) {
    self.lease = lease
    self.from = from
    self.outcomes = outcomes
    self.retries = retries
    self.resent = resent
    self.declaredTo = declaredTo ?? from + Int32(outcomes.count)
    self.nextWindow = nextWindow
  }

  /// A delivery that failed in passing: why, and when to try again.
  package struct Retry: Sendable, Equatable {
    package let index: Int32
    /// Where it goes; a pause of this environment holds it.
    package let environment: APNsEnvironment
    /// APNs' status; 0 when there was no answer.
    package let status: Int32
    package let reason: String
    package let delayMilliseconds: Int64

    package init(
      index: Int32, environment: APNsEnvironment = .production, status: Int32, reason: String, delayMilliseconds: Int64
    ) {
      self.index = index
      self.environment = environment
      self.status = status
      self.reason = reason
      self.delayMilliseconds = delayMilliseconds
    }
  }

  package enum Answer: Sendable, Equatable {
    /// Committed; the next window was declared.
    case next(ChunkWindow)
    /// Committed; every member of the chunk has its outcome or a retry row.
    case chunkDone
    /// Committed; nothing more was declared: not asked for, or all of the chunk is. The chunk is still ours.
    case idle
    /// Committed; the message was canceled, has expired or is paused, so nothing more was declared. The chunk was given
    /// back, unless a later window is under way: then it is with that one's ack.
    case stopped
    /// The lease went to somebody else: nothing was written, and nothing more may be sent.
    case leaseLost
  }
}

/// Writes only the bytes of its own window, guarded by epoch and place, and declares the next one.
///
/// Of what the chunk has declared the caller hands over only what it knows of. So what it doesn't is as good as
/// undeclared: the answer to an ack that declared it was lost.
struct AckWindow: Statement {
  let ack: WindowAck
  let leaseSeconds: Int32

  /// Whether chunk `k` may go on.
  private static let live = "(m.live AND k.apns_environment <> ALL (m.held))"

  static let sql = """
    WITH m AS MATERIALIZED (
      SELECT m.state = 2 AND m.expires_at > now() AS live,
        \(OpenCircuits.held) AS held
      FROM message m
      WHERE m.app_no = $1 AND m.message_no = $2
    ),
    k AS (
      UPDATE message_chunk k
      SET outcomes = overlay(k.outcomes PLACING $7 FROM $6 + 1),
        acked_to = $6 + length($7),
        attempted_to = CASE
          WHEN \(live) THEN least(k.n, greatest(k.attempted_to, $6 + length($7) + $8))
          ELSE $16::integer
        END,
        done = $6 + length($7) >= k.n,
        lease_until = CASE
          WHEN (\(live) AND $6 + length($7) < k.n) OR $6 + length($7) < $16::integer
          THEN now() + $14 * interval '1 second'
          ELSE '-infinity'
        END,
        first_at = coalesce(k.first_at, now()),
        last_at = now()
      FROM m
      WHERE k.app_no = $1 AND k.message_no = $2 AND k.chunk_no = $3 AND k.lease_owner = $4 AND k.lease_epoch = $5
        AND k.acked_to = $6 AND NOT k.done
      RETURNING k.acked_to, k.attempted_to, k.members, k.binding_nos, k.outcomes, k.done,
        \(live) AS live
    ),
    ret AS (
      INSERT INTO delivery_retry (
        app_no, message_no, chunk_no, idx, attempts, last_status, last_reason, not_before, apns_environment
      )
      SELECT $1, $2, $3, u.idx, 1, u.status, u.reason, now() + u.delay * interval '1 millisecond', u.apns_environment
      FROM k
      CROSS JOIN unnest($9::integer[], $10::integer[], $11::text[], $12::bigint[], $15::smallint[])
        AS u (idx, status, reason, delay, apns_environment)
      ON CONFLICT DO NOTHING
    ),
    res AS (
      INSERT INTO delivery_summary AS d (app_no, message_no, chunk_no, idx, attempts, last_status, last_reason, resent)
      SELECT $1, $2, $3, u.idx, 2, 0, 'unknown', true
      FROM k
      CROSS JOIN unnest($13::integer[]) AS u (idx)
      ON CONFLICT (app_no, message_no, chunk_no, idx) DO UPDATE
        SET attempts = d.attempts + 1, resent = true
    ),
    w AS (
      SELECT \(RecipientRow.columns)
      FROM k
      \(RecipientRow.window(from: "$16::integer"))
      WHERE k.live AND NOT k.done
    )
    SELECT k.done, k.live, $16::integer, w.idx IS NOT NULL, w.*
    FROM k
    LEFT JOIN w ON true
    ORDER BY w.idx
    """

  enum Row: Sendable {
    case done
    case stopped
    /// Nothing was declared.
    case idle
    case member(from: Int32, Recipient)
  }

  func bind(to parameters: inout Parameters) {
    parameters.add(ack.lease.app.value)
    parameters.add(ack.lease.message.value)
    parameters.add(ack.lease.chunk)
    parameters.add(ack.lease.owner)
    parameters.add(ack.lease.epoch)
    parameters.add(ack.from)
    parameters.add(ack.outcomes)
    parameters.add(ack.nextWindow)
    parameters.add(ack.retries.map(\.index))
    parameters.add(ack.retries.map(\.status))
    parameters.add(ack.retries.map(\.reason))
    parameters.add(ack.retries.map(\.delayMilliseconds))
    parameters.add(ack.resent)
    parameters.add(leaseSeconds)
    parameters.add(ack.retries.map(\.environment.rawValue))
    parameters.add(ack.declaredTo)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    if try row.bool() { return .done }
    guard try row.bool() else { return .stopped }
    let from = try row.int32()
    guard try row.bool() else { return .idle }
    return .member(from: from, try RecipientRow.decode(&row))
  }
}

/// Whether an ack whose answer was lost had been committed.
struct ReadAckedTo: Statement {
  let lease: ChunkLease

  static let sql = """
    SELECT k.acked_to
    FROM message_chunk k
    WHERE k.app_no = $1 AND k.message_no = $2 AND k.chunk_no = $3 AND k.lease_owner = $4 AND k.lease_epoch = $5
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(lease.app.value)
    parameters.add(lease.message.value)
    parameters.add(lease.chunk)
    parameters.add(lease.owner)
    parameters.add(lease.epoch)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int32 {
    try row.int32()
  }
}

/// Gives a chunk back whose declared window was surely not handed over. What an earlier owner had declared of it
/// without an outcome stays declared: that may have been sent.
struct ReleaseChunk: Statement {
  let lease: ChunkLease
  let priorAttemptedTo: Int32

  static let sql = """
    UPDATE message_chunk k
    SET lease_until = '-infinity',
      attempted_to = greatest(k.acked_to, $6)
    WHERE k.app_no = $1 AND k.message_no = $2 AND k.chunk_no = $3 AND k.lease_owner = $4 AND k.lease_epoch = $5
      AND NOT k.done
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(lease.app.value)
    parameters.add(lease.message.value)
    parameters.add(lease.chunk)
    parameters.add(lease.owner)
    parameters.add(lease.epoch)
    parameters.add(priorAttemptedTo)
  }

  typealias Row = NoRow
}
