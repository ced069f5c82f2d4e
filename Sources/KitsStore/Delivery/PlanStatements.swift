package import KitsCore
import Postgres

/// A message whose recipients this node is looking up.
package struct PlanClaim: Sendable, Equatable {
  package let app: AppNumber
  package let message: MessageNumber
  package let epoch: Int32
  package let isForEveryone: Bool
}

/// Takes the oldest unplanned message that nobody is planning, for 30 seconds; each page renews it.
struct ClaimPlan: Statement {
  let owner: Int64

  static let sql = """
    WITH c AS MATERIALIZED (
      SELECT m.app_no, m.message_no
      FROM message m
      WHERE NOT m.plan_done AND m.plan_lease_until < now() AND m.state IN (1, 2)
      ORDER BY m.plan_lease_until, m.message_no
      LIMIT 1
      FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE message m
    SET plan_owner = $1,
      plan_epoch = m.plan_epoch + 1,
      plan_lease_until = now() + interval '30 seconds'
    FROM c
    WHERE m.app_no = c.app_no AND m.message_no = c.message_no
    RETURNING m.app_no, m.message_no, m.plan_epoch, m.target_kind = 2
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(owner)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> PlanClaim {
    PlanClaim(
      app: AppNumber(try row.int64()), message: MessageNumber(try row.int64()), epoch: try row.int32(),
      isForEveryone: try row.bool())
  }
}

/// How far planning is after a page.
package struct PlanProgress: Sendable, Equatable {
  package let isDone: Bool
  package let planned: Int64
  package let chunks: Int32
}

/// The shared frame of a page: the message is locked and its state checked, members become chunks, the cursor moves,
/// all in one statement. A cancel that came first makes it do nothing.
enum PlanPage {
  static let chunkSize = 1_000

  static let lockedMessage = """
    m AS MATERIALIZED (
      SELECT m.plan_cursor, m.plan_upto, m.next_chunk, m.fenced, m.verified_only, m.state
      FROM message m
      WHERE m.app_no = $1 AND m.message_no = $2 AND m.plan_owner = $3 AND m.plan_epoch = $4 AND NOT m.plan_done
        AND m.state IN (1, 2)
      FOR NO KEY UPDATE
    )
    """

  /// Expects `page (no, binding_number, apns_environment)` and `moved (cursor, done)`. A chunk has members of one
  /// environment, so that a pause of the other doesn't hold it.
  static let store = """
    r AS (
      SELECT p.no, p.binding_number, p.apns_environment,
        (row_number() OVER (PARTITION BY p.apns_environment ORDER BY p.no) - 1) / \(chunkSize) AS part
      FROM page p
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
      SELECT count(*)::integer AS chunks, coalesce(sum(n), 0) AS members
      FROM ins
    ),
    upd AS (
      UPDATE message t
      SET plan_cursor = moved.cursor,
        plan_done = moved.done,
        next_chunk = t.next_chunk + s.chunks,
        planned = t.planned + s.members,
        plan_lease_until = now() + interval '30 seconds',
        state = CASE
          WHEN t.planned + s.members > 0 THEN 2
          WHEN moved.done THEN 3
          ELSE t.state
        END,
        settled = moved.done AND t.planned + s.members = 0,
        started_at = coalesce(t.started_at, now()),
        completed_at = CASE WHEN moved.done AND t.planned + s.members = 0 THEN now() END
      FROM s, moved, m
      WHERE t.app_no = $1 AND t.message_no = $2
      RETURNING t.app_no, t.message_id, t.state, t.planned, t.plan_done, t.next_chunk, m.state AS was
    ),
    \(OutboxSQL.messages(from: "upd", [
      (.messageStarted, "m.state = 2 AND m.was <> 2"), (.messageCompleted, "m.state = 3"),
    ]))
    SELECT u.plan_done, u.planned, u.next_chunk
    FROM upd u
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> PlanProgress {
    PlanProgress(isDone: try row.bool(), planned: try row.int64(), chunks: try row.int32())
  }
}

/// The next page of a message for everyone: a window of installation numbers, at most `pageLimit` members of it.
///
/// `LIMIT 1` keeps the planner from hashing all owners for each page (1 s instead of 30 ms for 10,000 of a million);
/// why owners are looked up by installation is said at `RecipientRow.owner`.
struct PlanPageOfEveryone: Statement {
  let claim: PlanClaim
  let owner: Int64
  let scanWindow: Int64
  let pageLimit: Int32

  static let sql = """
    WITH \(PlanPage.lockedMessage),
    page AS MATERIALIZED (
      SELECT i.installation_no AS no, i.binding_number, i.apns_environment
      FROM m
      CROSS JOIN LATERAL (
        SELECT i.installation_no, i.binding_number, i.apns_environment
        FROM installation i
        CROSS JOIN LATERAL (
          SELECT
          FROM (
            SELECT o.token
            FROM token_owner o
            WHERE o.app_no = i.app_no AND o.installation_no = i.installation_no
            OFFSET 0
          ) o
          WHERE o.token = i.push_token
          LIMIT 1
        ) o
        WHERE i.app_no = $1 AND i.installation_no > m.plan_cursor
          AND i.installation_no <= least(m.plan_cursor + $5, m.plan_upto) AND i.reachable
          AND (i.verified OR NOT m.verified_only)
        ORDER BY i.installation_no
        LIMIT $6
      ) i
    ),
    full_page AS (
      SELECT count(*) = $6 AS is_full, max(p.no) AS last
      FROM page p
    ),
    moved AS (
      SELECT CASE WHEN f.is_full THEN f.last ELSE least(m.plan_cursor + $5, m.plan_upto) END AS cursor,
        NOT f.is_full AND m.plan_cursor + $5 >= m.plan_upto AS done
      FROM m
      CROSS JOIN full_page f
    ),
    \(PlanPage.store)
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(claim.app.value)
    parameters.add(claim.message.value)
    parameters.add(owner)
    parameters.add(claim.epoch)
    parameters.add(scanWindow)
    parameters.add(pageLimit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> PlanProgress {
    try PlanPage.decode(&row)
  }
}

/// The next page of a message for named installations or users: a slice of the resolved list. Of a fenced message the
/// list has the bindings too. A member whose binding moved since is planned all the same, so that the ledger says what
/// became of it: the fence stops it.
struct PlanPageOfNamed: Statement {
  let claim: PlanClaim
  let owner: Int64
  let pageLimit: Int32

  static let sql = """
    WITH \(PlanPage.lockedMessage),
    page AS MATERIALIZED (
      SELECT i.installation_no AS no, coalesce(x.binding, i.binding_number) AS binding_number, i.apns_environment
      FROM m
      JOIN message_target t ON t.app_no = $1 AND t.message_no = $2
      CROSS JOIN LATERAL unnest(
        t.members[m.plan_cursor + 1 : m.plan_cursor + $5], t.binding_nos[m.plan_cursor + 1 : m.plan_cursor + $5]
      ) AS x (no, binding)
      JOIN installation i ON i.app_no = $1 AND i.installation_no = x.no
      JOIN token_owner o ON o.app_no = i.app_no AND o.token = i.push_token AND o.installation_no = i.installation_no
      WHERE i.reachable
    ),
    moved AS (
      SELECT least(m.plan_cursor + $5, m.plan_upto) AS cursor, m.plan_cursor + $5 >= m.plan_upto AS done
      FROM m
    ),
    \(PlanPage.store)
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(claim.app.value)
    parameters.add(claim.message.value)
    parameters.add(owner)
    parameters.add(claim.epoch)
    parameters.add(pageLimit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> PlanProgress {
    try PlanPage.decode(&row)
  }
}
