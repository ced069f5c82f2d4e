import KitsCore
import Postgres

/// A change that was refused: there is no statement that could have written it down itself.
struct RecordRefusal: Statement {
  let refusal: AuditRefusal

  static let sql = """
    INSERT INTO audit_entry (
      environment_no, actor_kind, actor_id, actor_role, action, request_id, target_kind, target_id, refusal, changes
    )
    VALUES ($6, $1, $2, $3, $4, $5, $7, $8, $9,
      CASE WHEN $10::text IS NULL THEN '{}' ELSE jsonb_build_object('found', jsonb_build_array(NULL, $10::text)) END)
    """

  func bind(to parameters: inout Parameters) {
    AuditSQL.bind(refusal.call, to: &parameters)
    parameters.add(refusal.environment?.value)
    parameters.add(refusal.target.kind.rawValue)
    parameters.add(refusal.target.id)
    parameters.add(refusal.code.rawValue)
    parameters.add(refusal.found)
  }

  typealias Row = NoRow
}

/// Entries, newest first. The numbers give the order: within one statement the times are the same.
struct ListAudit: Statement {
  let selection: AuditSelection

  static let sql = """
    SELECT x.audit_no, x.at, e.environment_id, x.actor_kind, x.actor_id, x.actor_role, x.action, x.target_kind,
      x.target_id, x.refusal, x.changes, x.request_id
    FROM audit_entry x
    LEFT JOIN environment e USING (environment_no)
    WHERE ($1::uuid IS NULL OR x.environment_no = (SELECT environment_no FROM environment WHERE environment_id = $1))
      AND ($2::text IS NULL OR x.action = $2)
      AND ($3::timestamptz IS NULL OR x.at >= $3)
      AND ($4::bigint IS NULL OR x.audit_no < $4)
    ORDER BY x.audit_no DESC
    LIMIT $5
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(selection.environment?.uuid)
    parameters.add(selection.action?.rawValue)
    parameters.add(timestamp: selection.since?.microseconds)
    parameters.add(selection.before)
    parameters.add(selection.limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> AuditEntry {
    AuditEntry(
      number: try row.int64(), at: Timestamp(microseconds: try row.timestamp()),
      environment: try row.uuidOrNil().map(EnvironmentID.init),
      actor: Actor(
        kind: try row.known(Actor.Kind.self), id: try row.stringOrNil(), role: try row.known(Role.self)),
      action: try row.string(), targetKind: try row.string(), targetID: try row.stringOrNil(),
      refusal: try row.stringOrNil(), changes: try row.json(), requestID: try row.stringOrNil())
  }
}

/// Removes the oldest entries, a step of them.
struct ForgetAudit: Statement {
  let before: Timestamp
  let limit: Int32

  static let sql = """
    DELETE FROM audit_entry
    WHERE audit_no IN (
      SELECT audit_no
      FROM audit_entry
      WHERE at < $1
      ORDER BY audit_no
      LIMIT $2
    )
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(timestamp: before.microseconds)
    parameters.add(limit)
  }

  typealias Row = NoRow
}
