import KitsCore
import Postgres

/// What a message's audience is made of, as it stands before it is fixed, or as it was fixed.
struct AudienceDraft: Sendable {
  /// The caller's.
  let filter: Filter?
  /// Nil until planning starts.
  let fixed: Filter?
  /// How many segments it names.
  let segments: Int32
}

struct ReadAudience: Statement {
  let app: AppNumber
  let message: MessageID

  static let sql = """
    SELECT filter, audience, segments
    FROM message_audience
    WHERE app_no = $1 AND message_id = $2
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(message.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> AudienceDraft {
    let filter = try row.jsonOrNil()
    let fixed = try row.jsonOrNil()
    return AudienceDraft(
      filter: try filter.map(StoredFilter.read), fixed: try fixed.map(StoredFilter.read), segments: try row.int32())
  }
}

/// The segments that a message names, as they are now.
struct ReadMessageSegments: Statement {
  let app: AppNumber
  let message: MessageID

  typealias Row = (isExcluded: Bool, audience: Filter)

  static let sql = """
    SELECT u.excluded, s.include_anonymous, s.filter
    FROM message_segment u
    JOIN segment s USING (app_no, segment_id)
    WHERE u.app_no = $1 AND u.message_id = $2
    ORDER BY u.segment_id
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(message.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let (isExcluded, includesAnonymous) = (try row.bool(), try row.bool())
    let filter = try StoredFilter.read(row.json())
    return (isExcluded: isExcluded, audience: includesAnonymous ? filter : filter.ofIdentifiedOnly)
  }
}

/// Fixes the audience and its moment, unless an earlier claim did, and answers what holds from now on. Whoever has come
/// since the message was created counts, too. Fenced once is fenced for good.
struct FixAudience: Statement {
  let plan: ClaimedPlan
  let owner: Int64
  let audience: Filter

  static let sql = """
    WITH \(PlanPage.lockedMessage),
    a AS (
      UPDATE message_audience a
      SET audience = coalesce(a.audience, $6),
        fixed_at = coalesce(a.fixed_at, now())
      FROM m
      WHERE a.app_no = $1 AND a.message_id = $5
      RETURNING a.audience, a.fixed_at, m.plan_cursor
    )
    UPDATE message t
    SET fenced = t.fenced OR $7,
      plan_upto = CASE
        WHEN a.plan_cursor > 0 THEN t.plan_upto
        ELSE coalesce((SELECT max(i.installation_no) FROM installation i WHERE i.app_no = $1), 0)
      END
    FROM a
    WHERE t.app_no = $1 AND t.message_no = $2
    RETURNING a.audience, a.fixed_at, t.plan_upto, a.plan_cursor = 0, t.target_kind = 6
    """

  func bind(to parameters: inout Parameters) {
    PlanPage.bind(plan.claim(.everyone), owner: owner, to: &parameters)
    parameters.add(plan.id.uuid)
    parameters.add(json: FilterWriter.bytes(audience))
    parameters.add(audience.dependsOnUser)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> PlanAudience {
    let filter = try StoredFilter.read(row.json())
    let at = Timestamp(microseconds: try row.timestamp())
    let upto = try row.int64()
    let isUntouched = try row.bool()
    return PlanAudience(
      filter: filter, at: at, upto: upto, isForTestDevices: try row.bool(), isUntouched: isUntouched)
  }
}

/// Ends a message whose audience can't be known any more.
struct RefusePlan: Statement {
  let plan: ClaimedPlan
  let owner: Int64
  let reason: MessageRefusal.Reason

  static let sql = """
    UPDATE message m
    SET state = 5,
      plan_done = true,
      settled = true,
      started_at = coalesce(m.started_at, now()),
      refusal = $5,
      found_count = 0,
      refused_at = now()
    WHERE m.app_no = $1 AND m.message_no = $2 AND m.plan_owner = $3 AND m.plan_epoch = $4 AND NOT m.plan_done
      AND m.state IN (1, 2) AND m.next_chunk = 0
    RETURNING true
    """

  func bind(to parameters: inout Parameters) {
    PlanPage.bind(plan.claim(.everyone), owner: owner, to: &parameters)
    parameters.add(reason.rawValue)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool {
    try row.bool()
  }
}
