import KitsCore
import Postgres

struct ReadSegment: Statement {
  let environment: EnvironmentNumber
  let id: SegmentID

  static let sql = """
    SELECT \(SegmentRow.columns)
    FROM app a
    JOIN segment s USING (app_no)
    WHERE a.environment_no = $1 AND s.segment_id = $2
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Segment { try SegmentRow.decode(&row) }
}

/// Those of an app that are there, in any order.
struct ReadSegments: Statement {
  let app: AppNumber
  let ids: [SegmentID]

  static let sql = """
    SELECT \(SegmentRow.columns)
    FROM unnest($2::uuid[]) AS u (segment_id)
    JOIN segment s ON s.app_no = $1 AND s.segment_id = u.segment_id
    JOIN app a ON a.app_no = s.app_no
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(ids.map(\.uuid))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Segment { try SegmentRow.decode(&row) }
}

/// The newest first.
struct ListSegments: Statement {
  let environment: EnvironmentNumber
  let app: AppID?
  let before: SegmentID?
  let limit: Int32

  static let sql = """
    SELECT \(SegmentRow.columns)
    FROM app a
    JOIN segment s USING (app_no)
    WHERE a.environment_no = $1
      AND ($2::uuid IS NULL OR a.app_id = $2)
      AND ($3::uuid IS NULL OR s.segment_id < $3)
    ORDER BY s.segment_id DESC
    LIMIT $4
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(app?.uuid)
    parameters.add(before?.uuid)
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Segment { try SegmentRow.decode(&row) }
}

/// Messages that name the segment and are not planned yet, the newest first.
struct ListSegmentUses: Statement {
  let environment: EnvironmentNumber
  let id: SegmentID

  static let sql = """
    SELECT m.message_id, m.created_at, u.excluded
    FROM app a
    JOIN message_segment u USING (app_no)
    JOIN message m USING (app_no, message_id)
    WHERE a.environment_no = $1 AND u.segment_id = $2 AND (NOT m.plan_done OR m.state = 6)
    ORDER BY m.message_id DESC
    LIMIT \(Limits.segmentUses)
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> SegmentUse {
    SegmentUse(
      message: MessageID(try row.uuid()), createdAt: Timestamp(microseconds: try row.timestamp()),
      isExcluded: try row.bool())
  }
}

/// Compare-and-set on the revision. The change that this very call made before is found again by its content.
struct ReplaceSegment: Statement {
  let environment: EnvironmentNumber
  let id: SegmentID
  let revision: Int64
  let definition: SegmentDefinition
  let call: AuditedCall

  static let sql = """
    WITH t AS MATERIALIZED (
      SELECT a.environment_no, a.app_id, s.app_no, s.segment_id, s.name, s.filter, s.include_anonymous, s.revision,
        s.created_at, s.updated_at,
        CASE
          WHEN s.revision = $3 THEN 1
          WHEN s.revision = $3 + 1 AND s.name = $4 AND s.filter = $5 AND s.include_anonymous = $6 THEN 2
          ELSE 3
        END AS status
      FROM app a
      JOIN segment s USING (app_no)
      WHERE a.environment_no = $1 AND s.segment_id = $2
      FOR NO KEY UPDATE OF s
    ),
    upd AS (
      UPDATE segment s
      SET name = $4, filter = $5, include_anonymous = $6, revision = s.revision + 1, updated_at = now()
      FROM t
      WHERE t.status = 1 AND s.app_no = t.app_no AND s.segment_id = t.segment_id
      RETURNING s.app_no, s.segment_id, s.name, s.filter, s.include_anonymous, s.revision, s.created_at, s.updated_at
    ),
    \(AuditSQL.insert(
        from: "t WHERE t.status = 1", first: 7, environment: "t.environment_no",
        target: (kind: .segment, id: "t.segment_id::text"),
        changes: "jsonb_build_object('name', jsonb_build_array(t.name, $4::text), "
          + "'revision', jsonb_build_array(t.revision, t.revision + 1))")),
    s AS (
      SELECT app_no, segment_id, name, filter, include_anonymous, revision, created_at, updated_at
      FROM upd
      UNION ALL
      SELECT app_no, segment_id, name, filter, include_anonymous, revision, created_at, updated_at
      FROM t
      WHERE status <> 1
    )
    SELECT a.status <> 3, \(SegmentRow.columns)
    FROM t a
    JOIN s USING (app_no)
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
    parameters.add(revision)
    parameters.add(definition.name)
    parameters.add(json: FilterWriter.bytes(definition.filter))
    parameters.add(definition.includesAnonymous)
    AuditSQL.bind(call, to: &parameters)
  }

  /// Whether it has the definition now, and the segment as it is.
  static func decode(_ row: inout RowReader) throws(PostgresError) -> (isReplaced: Bool, segment: Segment) {
    (try row.bool(), try SegmentRow.decode(&row))
  }
}

/// Refuses while a message needs the segment, unless forced. A message that is being created at the same time holds the
/// segment by its reference, which then fails one of the two.
struct DeleteSegment: Statement {
  let environment: EnvironmentNumber
  let id: SegmentID
  let isForced: Bool
  let call: AuditedCall

  static let sql = """
    WITH t AS MATERIALIZED (
      SELECT a.environment_no, s.app_no, s.segment_id, s.name
      FROM app a
      JOIN segment s USING (app_no)
      WHERE a.environment_no = $1 AND s.segment_id = $2
      FOR UPDATE OF s
    ),
    go AS MATERIALIZED (
      SELECT t.environment_no, t.app_no, t.segment_id, t.name
      FROM t
      WHERE $3
        OR NOT EXISTS (
          SELECT
          FROM message_segment u
          JOIN message m USING (app_no, message_id)
          WHERE u.app_no = t.app_no AND u.segment_id = t.segment_id
            AND (NOT m.plan_done OR m.state = 6)
        )
    ),
    unlinked AS (
      DELETE FROM message_segment u
      USING go
      WHERE u.app_no = go.app_no AND u.segment_id = go.segment_id
    ),
    deleted AS (
      DELETE FROM segment s
      USING go
      WHERE s.app_no = go.app_no AND s.segment_id = go.segment_id
    ),
    \(AuditSQL.insert(
        from: "go", first: 4, environment: "go.environment_no",
        target: (kind: .segment, id: "go.segment_id::text"),
        changes: "jsonb_build_object('name', jsonb_build_array(go.name, NULL))"))
    SELECT EXISTS (SELECT FROM go)
    FROM t
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
    parameters.add(isForced)
    AuditSQL.bind(call, to: &parameters)
  }

  /// Whether it is gone.
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
}
