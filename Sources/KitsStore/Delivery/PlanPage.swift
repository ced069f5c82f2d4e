import KitsCore
import Postgres

/// The shared frame of a page: the message is locked and its state checked, members become chunks, the cursor moves,
/// all in one statement. A cancel that came first makes it do nothing.
///
/// Guards are asked in the same statement: when they fail, this page makes no chunks, those of earlier pages go, and
/// the message is refused. Until they were asked, which is after the last page, the message stays in planning, where
/// nobody takes its chunks.
enum PlanPage {
  static let chunkSize = 1_000

  /// A throttled message is handed out in smaller portions, so that a minute is even: SQL over its rate.
  static func chunkSize(throttle rate: String) -> String {
    """
    CASE
      WHEN \(rate) IS NULL THEN \(chunkSize)
      ELSE least(\(chunkSize), greatest(1, \(rate) / \(Throttle.chunksPerMinute)))
    END
    """
  }

  /// Parameters 1 to 4.
  static func bind(_ claim: PlanClaim, owner: Int64, to parameters: inout Parameters) {
    parameters.add(claim.app.value)
    parameters.add(claim.message.value)
    parameters.add(owner)
    parameters.add(claim.epoch)
  }

  static let lockedMessage = lockedMessage(where: "true")

  static func lockedMessage(where condition: String) -> String {
    """
    m AS MATERIALIZED (
      SELECT m.plan_cursor, m.plan_upto, m.next_chunk, m.planned, m.fenced, m.verified_only, m.max_recipients,
        m.expected_count, m.expected_digest, m.plan_digest, m.state, \(LocalTime.columns),
        \(chunkSize(throttle: "m.throttle_per_minute")) AS chunk_size
      FROM message m
      WHERE m.app_no = $1 AND m.message_no = $2 AND m.plan_owner = $3 AND m.plan_epoch = $4 AND NOT m.plan_done
        AND m.state IN (1, 2) AND \(condition)
      FOR NO KEY UPDATE
    )
    """
  }

  /// Expects `page (no, binding_number, apns_environment)` and `moved (cursor, done)`. A chunk has members of one
  /// environment, so that a pause of the other doesn't hold it, and of one moment.
  static let store = """
    found AS MATERIALIZED (
      SELECT m.planned + count(p.no) AS count,
        m.plan_digest
          + coalesce(sum(\(AudienceDigest.hash(of: "p.no"))) FILTER (WHERE m.expected_digest IS NOT NULL), 0) AS digest
      FROM m
      LEFT JOIN page p ON true
      GROUP BY m.planned, m.plan_digest
    ),
    v AS MATERIALIZED (
      SELECT f.count, f.digest, m.max_recipients IS NOT NULL OR m.expected_digest IS NOT NULL AS is_guarded,
        CASE
          WHEN f.count > m.max_recipients THEN 1
          WHEN moved.done
            AND (f.count <> m.expected_count OR mod(f.digest - m.expected_digest, 18446744073709551616) <> 0) THEN 2
        END AS refusal
      FROM m
      CROSS JOIN found f
      CROSS JOIN moved
    ),
    gone AS (
      DELETE FROM message_chunk k
      WHERE k.app_no = $1 AND k.message_no = (SELECT $2 FROM v WHERE v.refusal IS NOT NULL)
    ),
    \(LocalTime.timed),
    r AS (
      SELECT p.no, p.binding_number, p.apns_environment, p.not_before, p.is_past,
        (row_number() OVER (PARTITION BY p.apns_environment, p.not_before, p.is_past ORDER BY p.no) - 1)
          / m.chunk_size AS part
      FROM v
      JOIN timed p ON v.refusal IS NULL
      CROSS JOIN m
    ),
    ins AS (
      INSERT INTO message_chunk (
        app_no, message_no, chunk_no, n, lo, hi, members, binding_nos, outcomes, apns_environment, not_before, done,
        acked_to, attempted_to
      )
      SELECT $1, $2,
        m.next_chunk + row_number() OVER (ORDER BY r.apns_environment, r.not_before, r.is_past, r.part) - 1,
        count(*), min(r.no), max(r.no), array_agg(r.no ORDER BY r.no),
        CASE WHEN m.fenced THEN array_agg(r.binding_number ORDER BY r.no) END,
        decode(repeat(\(LocalTime.outcome(isPast: "r.is_past")), count(*)::integer), 'hex'), r.apns_environment,
        r.not_before, r.is_past, CASE WHEN r.is_past THEN count(*) ELSE 0 END,
        CASE WHEN r.is_past THEN count(*) ELSE 0 END
      FROM r
      CROSS JOIN m
      GROUP BY r.apns_environment, r.not_before, r.is_past, r.part, m.next_chunk, m.fenced
      RETURNING n
    ),
    \(LocalTime.forget),
    s AS (
      SELECT count(*)::integer AS chunks
      FROM ins
    ),
    upd AS (
      UPDATE message t
      SET plan_cursor = moved.cursor,
        plan_done = moved.done OR v.refusal IS NOT NULL,
        next_chunk = CASE WHEN v.refusal IS NULL THEN t.next_chunk + s.chunks ELSE 0 END,
        planned = CASE WHEN v.refusal IS NULL THEN v.count ELSE 0 END,
        plan_digest = v.digest,
        plan_lease_until = now() + interval '30 seconds',
        state = CASE
          WHEN v.refusal IS NOT NULL THEN 5
          WHEN v.is_guarded AND NOT moved.done THEN t.state
          WHEN v.count > 0 THEN 2
          WHEN moved.done THEN 3
          ELSE t.state
        END,
        settled = v.refusal IS NOT NULL OR moved.done AND v.count = 0,
        started_at = coalesce(t.started_at, now()),
        completed_at = CASE WHEN v.refusal IS NULL AND moved.done AND v.count = 0 THEN now() END,
        refusal = v.refusal,
        found_count = CASE WHEN v.refusal IS NOT NULL THEN v.count END,
        refused_at = CASE WHEN v.refusal IS NOT NULL THEN now() END
      FROM s, moved, v, m
      WHERE t.app_no = $1 AND t.message_no = $2
      RETURNING t.app_no, t.message_id, t.state, t.planned, t.plan_done, t.next_chunk, t.refusal, m.state AS was
    ),
    \(OutboxSQL.messages(from: "upd", [
      (.messageStarted, "m.state = 2 AND m.was <> 2"), (.messageCompleted, "m.state = 3"),
      (.messageRefused, "m.state = 5"),
    ]))
    SELECT u.plan_done, u.planned, u.next_chunk, u.refusal
    FROM upd u
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> PlanProgress {
    let (isDone, planned, chunks) = (try row.bool(), try row.int64(), try row.int32())
    let refusal = try row.int16OrNil()
    return PlanProgress(
      isDone: isDone, planned: planned, chunks: chunks, refusal: refusal.flatMap(MessageRefusal.Reason.init(rawValue:)))
  }
}
