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
        m.expected_count, m.expected_digest, m.plan_digest
      FROM message m
      WHERE m.app_no = $1 AND m.message_no = $2 AND m.plan_owner = $3 AND m.plan_epoch = $4 AND NOT m.plan_done
        AND m.state IN (1, 2) AND \(condition)
      FOR NO KEY UPDATE
    )
    """
  }

  /// Expects `page (no, binding_number, apns_environment)` and `moved (cursor, done)`. A chunk has members of one
  /// environment, so that a pause of the other doesn't hold it.
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
    r AS (
      SELECT p.no, p.binding_number, p.apns_environment,
        (row_number() OVER (PARTITION BY p.apns_environment ORDER BY p.no) - 1) / \(chunkSize) AS part
      FROM v
      JOIN page p ON v.refusal IS NULL
    ),
    ins AS (
      INSERT INTO message_chunk (
        app_no, message_no, chunk_no, n, lo, hi, members, binding_nos, outcomes, apns_environment
      )
      SELECT $1, $2, m.next_chunk + row_number() OVER (ORDER BY r.apns_environment, r.part) - 1, count(*), min(r.no),
        max(r.no), array_agg(r.no ORDER BY r.no),
        CASE WHEN m.fenced THEN array_agg(r.binding_number ORDER BY r.no) END,
        decode(repeat('00', count(*)::integer), 'hex'), r.apns_environment
      FROM r
      CROSS JOIN m
      GROUP BY r.apns_environment, r.part, m.next_chunk, m.fenced
      RETURNING n
    ),
    s AS (
      SELECT count(*)::integer AS chunks
      FROM ins
    )
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
    FROM s, moved, v
    WHERE t.app_no = $1 AND t.message_no = $2
    RETURNING t.plan_done, t.planned, t.next_chunk, t.refusal
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> PlanProgress {
    let (isDone, planned, chunks) = (try row.bool(), try row.int64(), try row.int32())
    let refusal = try row.int16OrNil()
    return PlanProgress(
      isDone: isDone, planned: planned, chunks: chunks, refusal: refusal.flatMap(MessageRefusal.Reason.init(rawValue:)))
  }
}
