package import KitsCore
import Postgres

/// An endpoint that passed validation and is ready to be stored.
package struct NewWebhook: Sendable {
  package let id: WebhookID
  package let environment: EnvironmentNumber
  package let createdBy: ServerKeyID
  package let definition: WebhookDefinition
  package let secret: SealedWebhookSecret

  package init(
    id: WebhookID, environment: EnvironmentNumber, createdBy: ServerKeyID, definition: WebhookDefinition,
    secret: SealedWebhookSecret
  ) {
    self.id = id
    self.environment = environment
    self.createdBy = createdBy
    self.definition = definition
    self.secret = secret
  }

  package enum Answer: Sendable, Equatable {
    case created(at: Timestamp)
    /// The environment has as many as it may have.
    case full
    case noSuchApp
  }
}

/// Holds the number of an environment's webhooks for the transaction. A statement sees what was committed when it
/// began, so the one that counts has to begin with the lock held.
struct LockWebhooks: Statement {
  let environment: EnvironmentNumber

  static let sql = "SELECT true FROM environment v WHERE v.environment_no = $1 FOR NO KEY UPDATE"

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
}

/// Starts at the end of the feed: what happened before isn't told. Under `LockWebhooks`, so that the limit holds.
struct CreateWebhook: Statement {
  let webhook: NewWebhook
  let call: AuditedCall

  static let sql = """
    WITH env AS MATERIALIZED (
      SELECT v.environment_no
      FROM environment v
      WHERE v.environment_no = $2
    ),
    room AS MATERIALIZED (
      SELECT env.environment_no,
        (SELECT count(*) FROM webhook w WHERE w.environment_no = env.environment_no) < \(Limits.webhooks) AS is_left,
        (SELECT a.app_no FROM app a WHERE a.app_id = $4 AND a.environment_no = env.environment_no) AS for_app
      FROM env
    ),
    ins AS (
      INSERT INTO webhook (
        webhook_id, environment_no, created_by, for_app, url, types, description, enabled, disabled_reason,
        sealed_under, secret, cursor
      )
      SELECT $1, r.environment_no, $3, r.for_app, $5, $6, $7, $8, CASE WHEN NOT $8 THEN 1 END, $9, $10, f.last
      FROM room r
      CROSS JOIN outbox_feed f
      WHERE f.feed = 1 AND r.is_left AND ($4::uuid IS NULL OR r.for_app IS NOT NULL)
      RETURNING webhook_id, environment_no, url, created_at
    ),
    \(AuditSQL.insert(
        from: "ins", first: 11, environment: "ins.environment_no", target: (kind: .webhook, id: "ins.webhook_id::text"),
        changes: "jsonb_build_object('url', jsonb_build_array(NULL, ins.url))"))
    SELECT r.is_left, ins.created_at
    FROM room r
    LEFT JOIN ins ON true
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(webhook.id.uuid)
    parameters.add(webhook.environment.value)
    parameters.add(webhook.createdBy.uuid)
    parameters.add(webhook.definition.app?.uuid)
    parameters.add(webhook.definition.url)
    parameters.add(webhook.definition.types.map(\.rawValue))
    parameters.add(webhook.definition.description)
    parameters.add(webhook.definition.isEnabled)
    parameters.add(webhook.secret.sealedUnder)
    parameters.add(webhook.secret.sealed)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> NewWebhook.Answer {
    let isLeft = try row.bool()
    if let createdAt = try row.timestampOrNil() { return .created(at: Timestamp(microseconds: createdAt)) }
    return isLeft ? .noSuchApp : .full
  }
}

/// The endpoints of an environment, or one of them; the newest first.
struct ReadWebhooks: Statement {
  let environment: EnvironmentNumber
  let id: WebhookID?

  static let sql = """
    SELECT \(WebhookRow.columns)
    FROM webhook w
    WHERE w.environment_no = $1 AND ($2::uuid IS NULL OR w.webhook_id = $2)
    ORDER BY w.webhook_id DESC
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id?.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Webhook { try WebhookRow.decode(&row) }
}

/// Merges a change. What waits for an endpoint stays when it is switched off, and goes on when it is switched on again;
/// an endpoint whose URL changes is tried at once.
struct ChangeWebhook: Statement {
  let environment: EnvironmentNumber
  let id: WebhookID
  let change: WebhookChange
  let call: AuditedCall

  static let sql = """
    WITH t AS MATERIALIZED (
      SELECT w.webhook_no, w.webhook_id, w.environment_no, w.url, w.types, w.description, w.enabled
      FROM webhook w
      WHERE w.environment_no = $1 AND w.webhook_id = $2
      FOR NO KEY UPDATE
    ),
    upd AS (
      UPDATE webhook w
      SET url = coalesce($3, w.url),
        types = CASE WHEN $4::smallint[] = '{}' THEN w.types ELSE $4 END,
        description = CASE WHEN $5 THEN $6 ELSE w.description END,
        enabled = coalesce($7, w.enabled),
        disabled_reason = CASE WHEN NOT coalesce($7, w.enabled) THEN coalesce(w.disabled_reason, 1) END,
        failing = CASE WHEN $3 <> w.url OR $7 AND NOT w.enabled THEN 0 ELSE w.failing END,
        not_before = CASE WHEN $3 <> w.url OR $7 AND NOT w.enabled THEN '-infinity' ELSE w.not_before END,
        updated_at = now()
      FROM t
      WHERE w.webhook_no = t.webhook_no
      RETURNING w.*
    ),
    -- What waited behind one that was forgotten for its age while this was switched off.
    woken AS (
      UPDATE webhook_delivery d
      SET not_before = now()
      FROM t
      WHERE $7 AND NOT t.enabled AND d.webhook_no = t.webhook_no AND d.state = 1 AND d.not_before = 'infinity'
        AND NOT EXISTS (
          SELECT
          FROM webhook_delivery x
          WHERE x.webhook_no = d.webhook_no AND x.state = 1 AND x.subject = d.subject AND x.feed_no < d.feed_no
        )
    ),
    \(AuditSQL.insert(
        from: "t JOIN upd u USING (webhook_no)", first: 8, environment: "t.environment_no",
        target: (kind: .webhook, id: "t.webhook_id::text"), changes: changes)),
    w AS (
      SELECT u.*
      FROM upd u
    )
    SELECT \(WebhookRow.columns)
    FROM w
    """

  private static let changes = """
    (CASE WHEN t.url <> u.url THEN jsonb_build_object('url', jsonb_build_array(t.url, u.url)) ELSE '{}' END
      || CASE WHEN t.types <> u.types
        THEN jsonb_build_object('types', jsonb_build_array(to_jsonb(t.types), to_jsonb(u.types))) ELSE '{}' END
      || CASE WHEN t.enabled <> u.enabled
        THEN jsonb_build_object('enabled', jsonb_build_array(t.enabled, u.enabled)) ELSE '{}' END)
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
    parameters.add(change.url)
    // None at all is no wish that anybody can have.
    parameters.add((change.types ?? []).map(\.rawValue))
    parameters.add(change.description.map { $0 != .unchanged } ?? false)
    if case .set(let text) = change.description { parameters.add(text) } else { parameters.add(String?.none) }
    parameters.add(change.isEnabled)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Webhook { try WebhookRow.decode(&row) }
}

/// A new secret; the one before signs along for a day, the one before that no more.
struct RotateWebhookSecret: Statement {
  let environment: EnvironmentNumber
  let id: WebhookID
  let secret: SealedWebhookSecret
  let call: AuditedCall

  static let sql = """
    WITH upd AS (
      UPDATE webhook w
      SET previous_secret = w.secret,
        previous_sealed_under = w.sealed_under,
        previous_until = now() + interval '\(Limits.webhookSecretOverlapSeconds) s',
        secret = $4,
        sealed_under = $3,
        updated_at = now()
      WHERE w.environment_no = $1 AND w.webhook_id = $2
      RETURNING w.webhook_id, w.environment_no, w.previous_until
    ),
    \(AuditSQL.insert(
        from: "upd", first: 5, environment: "upd.environment_no", target: (kind: .webhook, id: "upd.webhook_id::text")))
    SELECT previous_until
    FROM upd
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
    parameters.add(secret.sealedUnder)
    parameters.add(secret.sealed)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Timestamp {
    Timestamp(microseconds: try row.timestamp())
  }
}

/// With everything that waited for it.
struct DeleteWebhook: Statement {
  let environment: EnvironmentNumber
  let id: WebhookID
  let call: AuditedCall

  static let sql = """
    WITH gone AS (
      DELETE FROM webhook w
      WHERE w.environment_no = $1 AND w.webhook_id = $2
      RETURNING w.webhook_id, w.environment_no, w.url
    ),
    \(AuditSQL.insert(
        from: "gone", first: 3, environment: "gone.environment_no",
        target: (kind: .webhook, id: "gone.webhook_id::text"),
        changes: "jsonb_build_object('url', jsonb_build_array(gone.url, NULL))"))
    SELECT true
    FROM gone
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
}

/// What an endpoint didn't take, the oldest first.
struct ListWebhookDeliveries: Statement {
  let environment: EnvironmentNumber
  let id: WebhookID
  let state: WebhookDelivery.State?
  let after: Int64
  let limit: Int32

  static let sql = """
    SELECT \(EventRow.columns), d.state, d.attempts, CASE WHEN d.not_before < 'infinity' THEN d.not_before END,
      d.first_at, d.last_at, d.last_status, d.last_problem
    FROM webhook w
    CROSS JOIN unnest(ARRAY[1, 2]::smallint[]) AS s (state)
    CROSS JOIN LATERAL (
      SELECT d.*
      FROM webhook_delivery d
      WHERE d.webhook_no = w.webhook_no AND d.state = s.state AND d.feed_no > $4
      ORDER BY d.feed_no
      LIMIT $5
    ) d
    JOIN outbox_event e ON e.app_no = d.app_no AND e.feed_no = d.feed_no
    WHERE w.environment_no = $1 AND w.webhook_id = $2 AND ($3::smallint IS NULL OR s.state = $3)
    ORDER BY d.feed_no
    LIMIT $5
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
    parameters.add(state?.rawValue)
    parameters.add(after)
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> WebhookDelivery {
    WebhookDelivery(
      event: try EventRow.decode(&row), state: try row.known(WebhookDelivery.State.self), attempts: try row.int32(),
      nextAttemptAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)),
      firstAttemptAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)),
      lastAttemptAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)), lastStatus: try row.int32(),
      lastProblem: try row.stringOrNil())
  }
}

/// Makes deliveries that were given up pending again, with three more days.
struct RedeliverWebhook: Statement {
  let environment: EnvironmentNumber
  let id: WebhookID
  /// None: all.
  let events: [EventID]
  let call: AuditedCall

  static let sql = """
    WITH w AS MATERIALIZED (
      SELECT w.webhook_no, w.webhook_id, w.environment_no
      FROM webhook w
      WHERE w.environment_no = $1 AND w.webhook_id = $2
      FOR NO KEY UPDATE
    ),
    again AS (
      UPDATE webhook_delivery d
      SET state = 1, not_before = now(), first_at = NULL
      FROM w
      WHERE d.webhook_no = w.webhook_no AND d.state = 2
        AND (
          $3::uuid[] = '{}'
          OR EXISTS (
            SELECT
            FROM outbox_event e
            WHERE e.app_no = d.app_no AND e.feed_no = d.feed_no AND e.event_id = ANY ($3)
          )
        )
      RETURNING 1
    ),
    n AS (
      SELECT count(*) AS count
      FROM again
    ),
    \(AuditSQL.insert(
        from: "w CROSS JOIN n WHERE n.count > 0", first: 4, environment: "w.environment_no",
        target: (kind: .webhook, id: "w.webhook_id::text"),
        changes: "jsonb_build_object('deliveries', jsonb_build_array(NULL, n.count))"))
    SELECT n.count
    FROM w
    CROSS JOIN n
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
    parameters.add(events.map(\.uuid))
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.int64() }
}
