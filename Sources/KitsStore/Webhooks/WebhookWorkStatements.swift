import KitsCore
import Postgres

/// Takes the endpoint that waited the longest of those for which there is something to do.
struct ClaimWebhook: Statement {
  let owner: Int64
  let leaseSeconds: Int32

  static let sql = """
    WITH c AS MATERIALIZED (
      SELECT w.webhook_no
      FROM webhook w
      WHERE w.enabled AND w.lease_until < now() AND w.not_before <= now()
        AND (
          EXISTS (
            SELECT
            FROM webhook_delivery d
            WHERE d.webhook_no = w.webhook_no AND d.state = 1 AND d.not_before <= now()
          )
          OR EXISTS (
            SELECT
            FROM app a
            JOIN outbox_event e ON e.app_no = a.app_no AND e.feed_no > w.cursor
            WHERE a.environment_no = w.environment_no AND (w.for_app IS NULL OR w.for_app = a.app_no)
          )
        )
      ORDER BY w.served_at
      LIMIT 1
      FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE webhook w
    SET lease_owner = $1,
      lease_until = now() + $2 * interval '1 second',
      epoch = w.epoch + 1,
      served_at = now()
    FROM c
    WHERE w.webhook_no = c.webhook_no
    RETURNING w.webhook_no, w.webhook_id, w.epoch, w.url, w.sealed_under, w.secret,
      CASE WHEN w.previous_until > now() THEN w.previous_sealed_under END,
      CASE WHEN w.previous_until > now() THEN w.previous_secret END
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(owner)
    parameters.add(leaseSeconds)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> WebhookClaim {
    let webhook = WebhookNumber(try row.int64())
    let (id, epoch, url) = (WebhookID(try row.uuid()), try row.int32(), try row.string())
    let secret = SealedWebhookSecret(sealedUnder: try row.string(), sealed: try row.bytes())
    let (under, sealed) = (try row.stringOrNil(), try row.bytesOrNil())
    let previous = under.flatMap { under in sealed.map { SealedWebhookSecret(sealedUnder: under, sealed: $0) } }
    return WebhookClaim(
      webhook: webhook, id: id, epoch: epoch, url: url, secret: secret, previousSecret: previous)
  }
}

/// Keeps an endpoint. No row: another process has it, or it was switched off, changed its address or is gone, and
/// nothing more may be sent there.
struct RenewWebhook: Statement {
  let claim: WebhookClaim
  let owner: Int64
  let leaseSeconds: Int32

  static let sql = """
    UPDATE webhook
    SET lease_until = now() + $4 * interval '1 second'
    WHERE webhook_no = $1 AND lease_owner = $2 AND epoch = $3 AND enabled AND url = $5 AND lease_until > now()
    RETURNING true
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(claim.webhook.value)
    parameters.add(owner)
    parameters.add(claim.epoch)
    parameters.add(leaseSeconds)
    parameters.add(claim.url)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
}

/// Whether `RenewWebhook` would.
struct CheckWebhook: Statement {
  let claim: WebhookClaim
  let owner: Int64

  static let sql = """
    SELECT coalesce(lease_owner = $2 AND epoch = $3 AND enabled AND url = $4 AND lease_until > now(), false)
    FROM webhook
    WHERE webhook_no = $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(claim.webhook.value)
    parameters.add(owner)
    parameters.add(claim.epoch)
    parameters.add(claim.url)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
}

/// Gives an endpoint back.
struct ReleaseWebhook: Statement {
  let claim: WebhookClaim
  let owner: Int64

  static let sql = """
    UPDATE webhook
    SET lease_until = '-infinity'
    WHERE webhook_no = $1 AND lease_owner = $2 AND epoch = $3
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(claim.webhook.value)
    parameters.add(owner)
    parameters.add(claim.epoch)
  }

  typealias Row = NoRow
}

/// The columns of a task after those of its event.
enum TaskRow {
  static let time = OutboxSQL.time("e.created_at")

  static func decode(_ row: inout RowReader, isNew: Bool) throws(PostgresError) -> WebhookTask {
    let event = try EventRow.decode(&row)
    let subject = try row.uuidOrNil().map(MessageID.init)
    let attempts = isNew ? 0 : try row.int32()
    let (mark, timestamp) = (try row.bool(), try row.string())
    return WebhookTask(
      event: event, subject: subject, attempts: attempts, isOverdue: !isNew && mark, isBlocked: isNew && mark,
      timestamp: timestamp)
  }
}

/// What an endpoint has to be asked again.
struct ReadDueWebhookTasks: Statement {
  let webhook: WebhookNumber
  let limit: Int32

  static let sql = """
    SELECT \(EventRow.columns), d.subject, d.attempts,
      coalesce(d.first_at <= now() - interval '\(Limits.webhookRetrySeconds) s', false), \(TaskRow.time)
    FROM (
      SELECT d.*
      FROM webhook_delivery d
      WHERE d.webhook_no = $1 AND d.state = 1 AND d.not_before <= now()
      ORDER BY d.not_before
      LIMIT $2
    ) d
    JOIN outbox_event e ON e.app_no = d.app_no AND e.feed_no = d.feed_no
    ORDER BY d.feed_no
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(webhook.value)
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> WebhookTask {
    try TaskRow.decode(&row, isNew: false)
  }
}

/// The events behind an endpoint's cursor. One more row than there are tasks says how far they reach. None while the
/// endpoint has as many waiting as it may have.
struct ReadNewWebhookTasks: Statement {
  let webhook: WebhookNumber
  let limit: Int32

  static let sql = """
    WITH w AS MATERIALIZED (
      SELECT w.webhook_no, w.environment_no, w.for_app, w.types, w.cursor, f.last
      FROM webhook w
      CROSS JOIN outbox_feed f
      WHERE w.webhook_no = $1 AND f.feed = 1
        AND NOT EXISTS (
          SELECT
          FROM webhook_delivery d
          WHERE d.webhook_no = w.webhook_no AND d.state = 1
          ORDER BY d.feed_no
          OFFSET \(Limits.webhookWaiting)
          LIMIT 1
        )
    ),
    s AS MATERIALIZED (
      SELECT e.*
      FROM w
      JOIN app a ON a.environment_no = w.environment_no AND (w.for_app IS NULL OR w.for_app = a.app_no)
      CROSS JOIN LATERAL (
        SELECT e.*
        FROM outbox_event e
        WHERE e.app_no = a.app_no AND e.feed_no > w.cursor
        ORDER BY e.feed_no
        LIMIT $2
      ) e
      ORDER BY e.feed_no
      LIMIT $2
    ),
    reach AS (
      SELECT CASE WHEN count(s.feed_no) = $2 THEN max(s.feed_no) ELSE w.last END AS up_to
      FROM w
      LEFT JOIN s ON true
      GROUP BY w.last
    )
    SELECT r.up_to, \(EventRow.columns), e.subject,
      EXISTS (
        SELECT FROM webhook_delivery d WHERE d.webhook_no = $1 AND d.state = 1 AND d.subject = e.subject
      ),
      \(TaskRow.time)
    FROM reach r
    LEFT JOIN (SELECT s.* FROM s JOIN w ON s.type = ANY (w.types)) e ON true
    ORDER BY e.feed_no
    """

  typealias Row = (upTo: Int64, task: WebhookTask?)

  func bind(to parameters: inout Parameters) {
    parameters.add(webhook.value)
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let upTo = try row.int64()
    var ahead = row
    guard try ahead.uuidOrNil() != nil else { return (upTo, nil) }
    return (upTo, try TaskRow.decode(&row, isNew: true))
  }
}

/// Writes what became of a batch, moves the cursor and gives the next ones of a subject their turn, under the lease. No
/// row: the lease was lost, and whoever has it does it all again.
struct RecordWebhookTurn: Statement {
  let turn: WebhookTurn
  let owner: Int64
  let leaseSeconds: Int32

  static let sql = """
    WITH w AS MATERIALIZED (
      SELECT w.webhook_no
      FROM webhook w
      WHERE w.webhook_no = $1 AND w.lease_owner = $2 AND w.epoch = $3
      FOR NO KEY UPDATE
    ),
    r AS MATERIALIZED (
      SELECT w.webhook_no, u.*
      FROM unnest(
        $5::bigint[], $6::bigint[], $7::uuid[], $8::timestamptz[], $9::smallint[], $10::bigint[], $11::integer[],
        $12::text[]
      ) AS u (app_no, feed_no, subject, event_at, verdict, delay, status, problem)
      CROSS JOIN w
    ),
    delivered AS (
      DELETE FROM webhook_delivery d
      USING r
      WHERE r.verdict = 1 AND d.app_no = r.app_no AND d.webhook_no = r.webhook_no AND d.feed_no = r.feed_no
    ),
    kept AS (
      INSERT INTO webhook_delivery AS d (
        app_no, webhook_no, feed_no, subject, event_at, state, attempts, not_before, first_at, last_at, last_status,
        last_problem
      )
      SELECT r.app_no, r.webhook_no, r.feed_no, r.subject, r.event_at, CASE r.verdict WHEN 3 THEN 2 ELSE 1 END,
        (r.verdict IN (2, 3))::integer,
        CASE WHEN r.verdict IN (3, 4) THEN 'infinity' ELSE now() + r.delay * interval '1 millisecond' END,
        CASE WHEN r.verdict IN (2, 3) THEN now() END, CASE WHEN r.verdict IN (2, 3) THEN now() END, r.status, r.problem
      FROM r
      WHERE r.verdict <> 1
      ORDER BY r.feed_no
      ON CONFLICT (app_no, webhook_no, feed_no) DO UPDATE
        SET state = excluded.state,
          attempts = d.attempts + excluded.attempts,
          not_before = excluded.not_before,
          first_at = coalesce(d.first_at, excluded.first_at),
          last_at = coalesce(excluded.last_at, d.last_at),
          last_status = CASE WHEN excluded.attempts > 0 THEN excluded.last_status ELSE d.last_status END,
          last_problem = coalesce(excluded.last_problem, d.last_problem)
    ),
    next AS (
      UPDATE webhook_delivery d
      SET not_before = now()
      FROM (
        SELECT r.webhook_no, n.app_no, n.feed_no
        FROM (
          SELECT r.webhook_no, r.subject, max(r.feed_no) AS feed_no
          FROM r
          WHERE r.subject IS NOT NULL
          GROUP BY r.webhook_no, r.subject
          HAVING bool_and(r.verdict IN (1, 3))
        ) r
        CROSS JOIN LATERAL (
          SELECT d.app_no, d.feed_no
          FROM webhook_delivery d
          WHERE d.webhook_no = r.webhook_no AND d.state = 1 AND d.subject = r.subject AND d.feed_no > r.feed_no
          ORDER BY d.feed_no
          LIMIT 1
        ) n
      ) n
      WHERE d.app_no = n.app_no AND d.webhook_no = n.webhook_no AND d.feed_no = n.feed_no
    ),
    b AS (
      SELECT count(*) FILTER (WHERE r.verdict = 1) AS delivered,
        count(*) FILTER (WHERE r.verdict IN (2, 3)) AS failed,
        (array_agg(r.problem ORDER BY r.feed_no DESC) FILTER (WHERE r.verdict IN (2, 3)))[1] AS problem
      FROM r
    )
    UPDATE webhook x
    SET cursor = greatest(x.cursor, coalesce($13, 0)),
      lease_until = now() + $4 * interval '1 second',
      enabled = x.enabled AND NOT $14,
      disabled_reason = CASE WHEN $14 AND x.enabled THEN 2 ELSE x.disabled_reason END,
      failing = CASE WHEN b.delivered > 0 THEN 0 WHEN b.failed > 0 THEN x.failing + 1 ELSE x.failing END,
      not_before = CASE WHEN $15 > 0
        THEN now() + least($15 * power(2, least(x.failing, 20)), \(Limits.webhookPauseMilliseconds))
          * interval '1 millisecond'
        ELSE x.not_before END,
      delivered_at = CASE WHEN b.delivered > 0 THEN now() ELSE x.delivered_at END,
      failed_at = CASE WHEN b.failed > 0 THEN now() ELSE x.failed_at END,
      failure = coalesce(b.problem, x.failure)
    FROM w, b
    WHERE x.webhook_no = w.webhook_no
    RETURNING true
    """

  func bind(to parameters: inout Parameters) {
    let results = turn.results
    parameters.add(turn.claim.webhook.value)
    parameters.add(owner)
    parameters.add(turn.claim.epoch)
    parameters.add(leaseSeconds)
    parameters.add(results.map(\.task.event.app.value))
    parameters.add(results.map(\.task.event.number))
    parameters.add(results.map(\.task.subject?.uuid))
    parameters.add(timestamps: results.map(\.task.event.at.microseconds))
    parameters.add(results.map(\.verdict.number))
    parameters.add(results.map(\.verdict.delay))
    parameters.add(results.map(\.status))
    parameters.add(results.map(\.problem))
    parameters.add(turn.upTo)
    parameters.add(turn.isGone)
    parameters.add(turn.pauseMilliseconds)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
}

extension WebhookResult.Verdict {
  fileprivate var number: Int16 {
    switch self {
    case .delivered: 1
    case .again: 2
    case .dead: 3
    case .behind: 4
    case .untried: 5
    }
  }

  fileprivate var delay: Int64 {
    if case .again(let milliseconds) = self { milliseconds } else { 0 }
  }
}

/// How long the oldest event waits that an enabled endpoint wants and has not taken, in milliseconds.
struct ReadWebhookLag: Statement {
  static let sql = """
    SELECT coalesce((extract(epoch FROM now() - min(least(d.at, n.at, z.at))) * 1000)::bigint, 0),
      coalesce(sum(p.pending), 0)::bigint, coalesce(sum(p.dead), 0)::bigint
    FROM webhook w
    CROSS JOIN (
      SELECT min(z.created_at) AS at
      FROM (SELECT e.created_at FROM outbox_event e WHERE e.feed_no IS NULL ORDER BY e.event_no LIMIT 1) z
    ) z
    CROSS JOIN LATERAL (
      SELECT min(d.event_at) AS at
      FROM (
        SELECT d.event_at
        FROM webhook_delivery d
        WHERE d.webhook_no = w.webhook_no AND d.state = 1
        ORDER BY d.feed_no
        LIMIT 1
      ) d
    ) d
    CROSS JOIN LATERAL (
      SELECT min(e.created_at) AS at
      FROM app a
      CROSS JOIN LATERAL (
        SELECT e.created_at
        FROM outbox_event e
        WHERE e.app_no = a.app_no AND e.feed_no > w.cursor
        ORDER BY e.feed_no
        LIMIT 1
      ) e
      WHERE a.environment_no = w.environment_no AND (w.for_app IS NULL OR w.for_app = a.app_no)
    ) n
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE d.state = 1) AS pending, count(*) FILTER (WHERE d.state = 2) AS dead
      FROM webhook_delivery d
      WHERE d.webhook_no = w.webhook_no
    ) p
    WHERE w.enabled
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> WebhookBacklog {
    WebhookBacklog(lagMilliseconds: try row.int64(), pending: try row.int64(), dead: try row.int64())
  }
}
