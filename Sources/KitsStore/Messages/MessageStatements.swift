import KitsCore
import Postgres

/// The columns of a message in the order in which `decode` reads them; queries name the rows `m`, `b` and `a`, `h`
/// of `schedule`, and `z` of `pause`.
enum MessageRow {
  static let columns = columns(content: "coalesce(b.content, h.content)", filter: filter)

  /// What was scheduled with message `m`, while it is.
  static let schedule = "LEFT JOIN message_schedule h ON h.app_no = m.app_no AND h.message_id = m.message_id"

  private static let filter = """
    coalesce(
      (SELECT t.filter FROM message_audience t WHERE t.app_no = m.app_no AND t.message_id = m.message_id),
      nullif((h.body #> '{target,filter}')::jsonb, 'null')
    )
    """

  static func columns(content: String, filter: String) -> String {
    """
    m.message_id, a.app_id, coalesce(m.message_no, 0), m.state, \(content), m.unmatched_count,
    m.unmatched_sample::text[] || m.unmatched_users, m.plan_done AND m.state <> 6, m.settled AND m.state <> 6,
    m.target_kind,
    coalesce(m.requested, CASE m.target_kind WHEN 1 THEN m.plan_upto::integer + m.unmatched_count END),
    \(filter), \(segments(excluded: false)), \(segments(excluded: true)), m.max_recipients, m.expected_digest::text,
    m.expected_count, m.refusal, m.found_count, CASE WHEN m.refusal = 2 THEN m.plan_digest::text END, m.refused_at,
    m.planned, m.verified_only, m.on_unknown, m.created_at, m.expires_at, m.started_at, m.completed_at, m.canceled_at,
    \(TimingRow.columns), z.apns_environment, z.reason, z.detail, z.opened_at
    """
  }

  private static func segments(excluded: Bool) -> String {
    """
    ARRAY(
      SELECT u.segment_id
      FROM message_segment u
      WHERE u.app_no = m.app_no AND u.message_id = m.message_id AND u.excluded = \(excluded)
      ORDER BY u.segment_id
    )
    """
  }

  /// The pause that holds something of message `m`; production's when both do. Few apps have one, so chunks and retries
  /// are seldom looked at.
  static let pause = """
    LEFT JOIN LATERAL (
      SELECT c.apns_environment, c.reason, c.detail, c.opened_at
      FROM app_circuit c
      WHERE c.app_no = m.app_no AND c.state = 2 AND m.state IN (1, 2)
        AND (
          EXISTS (
            SELECT
            FROM message_chunk k
            WHERE k.app_no = m.app_no AND k.message_no = m.message_no AND NOT k.done
              AND k.apns_environment = c.apns_environment
          )
          OR EXISTS (
            SELECT
            FROM delivery_retry r
            WHERE r.app_no = m.app_no AND r.message_no = m.message_no AND r.apns_environment = c.apns_environment
          )
        )
      ORDER BY c.apns_environment
      LIMIT 1
    ) z ON true
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> MessageRecord {
    MessageRecord(
      id: MessageID(try row.uuid()), appID: AppID(try row.uuid()), number: MessageNumber(try row.int64()),
      state: try row.known(MessageState.self), contentJSON: try row.jsonOrNil(),
      unmatched: MessageRecord.Unmatched(count: try row.int32(), sample: try row.stringArray()),
      isPlanned: try row.bool(), isSettled: try row.bool(),
      target: MessageRecord.Target(
        kind: try row.known(MessageTargetKind.self), requested: try row.int32OrNil(), filterJSON: try row.jsonOrNil(),
        segments: try row.uuidArray().map(SegmentID.init), excluded: try row.uuidArray().map(SegmentID.init)),
      guards: try guards(&row), refusal: try refusal(&row), recipients: try row.int64(),
      isVerifiedOnly: try row.bool(), onUnknown: try row.known(OnUnknown.self),
      times: MessageRecord.Times(
        createdAt: Timestamp(microseconds: try row.timestamp()),
        expiresAt: Timestamp(microseconds: try row.timestamp()),
        startedAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)),
        completedAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)),
        canceledAt: try row.timestampOrNil().map(Timestamp.init(microseconds:))),
      timing: try TimingRow.decode(&row), pause: try PauseRow.decode(&row))
  }

  private static func guards(_ row: inout RowReader) throws(PostgresError) -> AudienceGuards {
    let most = try row.int64OrNil()
    let digest = try row.stringOrNil().flatMap(AudienceDigest.init(sum:))
    let count = try row.int64OrNil()
    return AudienceGuards(
      maxRecipients: most, expected: digest.map { ExpectedAudience(digest: $0, count: count) })
  }

  private static func refusal(_ row: inout RowReader) throws(PostgresError) -> MessageRefusal? {
    let raw = try row.int16OrNil()
    let count = try row.int64OrNil()
    let digest = try row.stringOrNil().flatMap(AudienceDigest.init(sum:))
    let at = try row.timestampOrNil()
    guard let raw, let count, let at else { return nil }
    guard let reason = MessageRefusal.Reason(rawValue: raw) else { throw .decode("refusal \(raw) is unknown") }
    return MessageRefusal(
      reason: reason, foundCount: count, foundDigest: digest, at: Timestamp(microseconds: at))
  }
}

struct ReadMessage: Statement {
  let environment: EnvironmentNumber
  let id: MessageID

  static let sql = """
    SELECT m.app_no, \(MessageRow.columns)
    FROM app a
    JOIN message m ON m.app_no = a.app_no AND m.message_id = $2
    LEFT JOIN message_body b ON b.app_no = m.app_no AND b.message_no = m.message_no
    \(MessageRow.schedule)
    \(MessageRow.pause)
    WHERE a.environment_no = $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> (app: AppNumber, message: MessageRecord) {
    (app: AppNumber(try row.int64()), message: try MessageRow.decode(&row))
  }
}

/// The newest first. Of the content only the title is read, and no filter: a page of whole ones can be tens of
/// megabytes.
struct ListMessages: Statement {
  let selection: MessageSelection
  let limit: Int32

  private static let title = """
    CASE
      WHEN b.app_no IS NOT NULL THEN json_build_object('title', b.content -> 'title')
      WHEN h.app_no IS NOT NULL THEN json_build_object('title', h.content -> 'title')
    END
    """

  static let sql = """
    SELECT \(MessageRow.columns(content: title, filter: "NULL::jsonb"))
    FROM app a
    CROSS JOIN LATERAL (
      SELECT m.*, z.apns_environment, z.reason, z.detail, z.opened_at
      FROM message m
      \(MessageRow.pause)
      WHERE m.app_no = a.app_no
        AND ($3::uuid IS NULL OR m.message_id < $3)
        AND ($4::smallint IS NULL OR m.state = $4)
        AND ($6::boolean IS NULL OR (z.opened_at IS NOT NULL) = $6)
      ORDER BY m.message_id DESC
      LIMIT $5
    ) m
    CROSS JOIN LATERAL (SELECT m.apns_environment, m.reason, m.detail, m.opened_at) z
    LEFT JOIN message_body b ON b.app_no = m.app_no AND b.message_no = m.message_no
    \(MessageRow.schedule)
    WHERE a.environment_no = $1 AND ($2::uuid IS NULL OR a.app_id = $2)
    ORDER BY m.message_id DESC
    LIMIT $5
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(selection.environment.value)
    parameters.add(selection.app?.uuid)
    parameters.add(selection.before?.uuid)
    parameters.add(selection.state?.rawValue)
    parameters.add(limit)
    parameters.add(selection.isPaused)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> MessageRecord {
    try MessageRow.decode(&row)
  }
}

/// Where a message's recipients stand, by class and reason: from the roll-up when there is one, which is when the
/// chunks are gone or about to go. Chunks that are accepted as a whole are not unfolded.
struct CountOutcomes: Statement {
  let app: AppNumber
  let message: MessageNumber

  static let sql = """
    WITH r AS MATERIALIZED (
      SELECT u.code, u.count
      FROM message_rollup r
      CROSS JOIN LATERAL unnest(r.codes, r.counts) AS u (code, count)
      WHERE r.app_no = $1 AND r.message_no = $2
    ),
    c AS MATERIALIZED (
      SELECT k.n, k.outcomes, k.outcomes = decode(repeat('01', k.n), 'hex') AS whole
      FROM message_chunk k
      WHERE k.app_no = $1 AND k.message_no = $2 AND NOT EXISTS (SELECT FROM r)
    ),
    counts AS (
      SELECT r.code::integer, r.count
      FROM r
      UNION ALL
      SELECT 1, sum(c.n)
      FROM c
      WHERE c.whole
      UNION ALL
      SELECT get_byte(c.outcomes, i), count(*)
      FROM c
      CROSS JOIN LATERAL generate_series(0, c.n - 1) i
      WHERE NOT c.whole
      GROUP BY 1
    )
    SELECT (SELECT m.planned FROM message m WHERE m.app_no = $1 AND m.message_no = $2), o.class, o.reason,
      sum(x.count)::bigint
    FROM counts x
    JOIN outcome_code o ON o.code = x.code
    WHERE x.count > 0
    GROUP BY o.class, o.reason
    ORDER BY o.class, o.reason
    """

  typealias Row = (targeted: Int64, count: Ledger.ReasonCount)

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(message.value)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    (
      targeted: try row.int64(),
      count: Ledger.ReasonCount(
        outcomeClass: try row.known(OutcomeClass.self), reason: try row.string(), count: try row.int64())
    )
  }
}

/// Stops a message. The planner and the dispatchers see it under the same row lock or with their next ack.
///
/// One that was only scheduled is over at once. It gets a number all the same, so that it is forgotten with those of
/// its day, and its content stays as long as theirs.
struct CancelMessage: Statement {
  let environment: EnvironmentNumber
  let id: MessageID

  static let sql = """
    WITH t AS MATERIALIZED (
      SELECT m.app_no, m.message_id, m.state
      FROM app a
      JOIN message m ON m.app_no = a.app_no AND m.message_id = $2
      WHERE a.environment_no = $1
      FOR NO KEY UPDATE OF m
    ),
    stopped AS (
      UPDATE message m
      SET state = 4, canceled_at = now(), plan_done = true
      FROM t
      WHERE m.app_no = t.app_no AND m.message_id = t.message_id AND t.state IN (1, 2)
      RETURNING m.app_no, m.message_id, m.state, m.planned
    ),
    \(OutboxSQL.messages(from: "stopped", [(.messageCanceled, "true")])),
    s AS (
      DELETE FROM message_schedule s
      USING t
      WHERE s.app_no = t.app_no AND s.message_id = t.message_id AND t.state = 6
      RETURNING s.app_no, s.message_id, s.content, s.body, \(MessageNumberSQL.next) AS message_no
    ),
    dropped AS (
      UPDATE message m
      SET state = 4, canceled_at = now(), due_at = NULL, message_no = s.message_no
      FROM s
      WHERE m.app_no = s.app_no AND m.message_id = s.message_id
      RETURNING m.app_no, m.message_id, m.state, m.planned
    ),
    \(OutboxSQL.messages(from: "dropped", [(.messageCanceled, "true")], named: "outbox_dropped")),
    kept AS (
      INSERT INTO message_body (app_no, message_no, content, payloads, push_type, priority, ttl_seconds)
      SELECT s.app_no, s.message_no, s.content, '{}', 1, 10, 0
      FROM s
    ),
    asked AS (
      INSERT INTO message_audience (app_no, message_id, filter)
      SELECT s.app_no, s.message_id, (s.body #> '{target,filter}')::jsonb
      FROM s
      WHERE json_typeof(s.body #> '{target,filter}') = 'object'
    )
    SELECT t.state
    FROM t
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
  }

  /// The state before.
  static func decode(_ row: inout RowReader) throws(PostgresError) -> MessageState {
    try row.known(MessageState.self)
  }
}

/// Which of the named installations an app doesn't have, for a message that is only validated.
struct FindUnmatched: Statement {
  let app: AppNumber
  let installations: [InstallationID]

  static let sql = """
    WITH missing AS (
      SELECT u.installation_id, min(u.place) AS place
      FROM unnest($2::uuid[]) WITH ORDINALITY AS u (installation_id, place)
      WHERE NOT EXISTS (
        SELECT FROM installation i WHERE i.app_no = $1 AND i.installation_id = u.installation_id
      )
      GROUP BY u.installation_id
    )
    SELECT count(*)::integer,
      coalesce((array_agg(installation_id ORDER BY place))[1:\(Limits.unmatchedSample)]::text[], '{}')
    FROM missing
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(installations.map(\.uuid))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> MessageRecord.Unmatched {
    MessageRecord.Unmatched(count: try row.int32(), sample: try row.stringArray())
  }
}

/// The same of named users.
struct FindUnmatchedUsers: Statement {
  let app: AppNumber
  let users: [ExternalID]

  static let sql = """
    WITH missing AS (
      SELECT u.external_id, u.place
      FROM (
        SELECT u.external_id, min(u.place) AS place
        FROM unnest($2::text[]) WITH ORDINALITY AS u (external_id, place)
        GROUP BY u.external_id
      ) u
      LEFT JOIN LATERAL (
        SELECT true AS is_there
        FROM installation i
        WHERE i.app_no = $1 AND i.external_id = u.external_id
        LIMIT 1
      ) i ON true
      WHERE i.is_there IS NULL
    )
    SELECT count(*)::integer, coalesce((array_agg(external_id ORDER BY place))[1:\(Limits.unmatchedSample)], '{}')
    FROM missing
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(users.map(\.text))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> MessageRecord.Unmatched {
    MessageRecord.Unmatched(count: try row.int32(), sample: try row.stringArray())
  }
}
