import KitsCore
import Postgres

/// Pauses an app at an operator's wish. What is paused already stays as it is.
struct PauseApp: Statement {
  let app: AppID
  let environment: EnvironmentNumber?
  let apnsEnvironments: [APNsEnvironment]
  let detail: String?
  let call: AuditedCall

  static let sql = """
    WITH a AS (
      SELECT a.app_no, a.app_id, a.environment_no
      FROM app a
      WHERE a.app_id = $1 AND ($2::bigint IS NULL OR a.environment_no = $2)
    ),
    c AS (
      INSERT INTO app_circuit AS c (app_no, apns_environment, state, epoch, reason, detail)
      SELECT a.app_no, u.apns_environment, 2, 1, 1, $4
      FROM a
      CROSS JOIN unnest($3::smallint[]) AS u (apns_environment)
      ORDER BY u.apns_environment
      ON CONFLICT (app_no, apns_environment) DO UPDATE
        SET state = 2, epoch = c.epoch + 1, reason = 1, detail = excluded.detail, opened_at = now(), closed_at = NULL
        WHERE c.state = 1
      RETURNING c.apns_environment
    ),
    changed AS (
      SELECT a.app_id, a.environment_no,
        jsonb_object_agg(\(PauseSQL.environment("c")), '["running", "paused"]'::jsonb) AS changes
      FROM a
      CROSS JOIN c
      GROUP BY a.app_id, a.environment_no
    ),
    \(audit),
    \(OutboxSQL.app(
      .appPaused, from: "(SELECT a.app_no, a.app_id, c.apns_environment FROM a CROSS JOIN c) x", reason: "1"))
    SELECT
    FROM c
    """

  private static let audit = AuditSQL.insert(
    from: "changed x", first: 5, environment: "x.environment_no", target: (.app, "x.app_id::text"),
    changes: """
      x.changes || CASE
        WHEN $4::text IS NULL THEN '{}'
        ELSE jsonb_build_object('reason', jsonb_build_array(NULL, $4::text))
      END
      """)

  func bind(to parameters: inout Parameters) {
    parameters.add(app.uuid)
    parameters.add(environment?.value)
    parameters.add(apnsEnvironments.map(\.rawValue))
    parameters.add(detail)
    AuditSQL.bind(call, to: &parameters)
  }

  typealias Row = NoRow
}

enum PauseSQL {
  /// The name of a row's APNs environment.
  static func environment(_ row: String) -> String {
    "CASE \(row).apns_environment WHEN \(APNsEnvironment.production.rawValue) THEN 'production' ELSE 'sandbox' END"
  }
}

/// Closes circuits, makes due what they held or refused, and lifts the suspects that they caused where the token is
/// still the same. After a clock fault the provider token goes, so that one is made by the right clock.
struct ResumeApp: Statement {
  let app: AppID
  let environment: EnvironmentNumber?
  let apnsEnvironments: [APNsEnvironment]
  let keepSuspects: Bool
  let call: AuditedCall

  static let sql = """
    WITH z AS (
      UPDATE app_circuit c
      SET state = 1, epoch = c.epoch + 1, closed_at = now()
      FROM app a
      WHERE a.app_id = $1 AND ($2::bigint IS NULL OR a.environment_no = $2) AND c.app_no = a.app_no
        AND c.apns_environment = ANY ($3) AND c.state = 2
      RETURNING c.app_no, c.apns_environment, c.reason, a.app_id, a.environment_no
    ),
    changed AS (
      SELECT z.app_id, z.environment_no,
        jsonb_object_agg(\(PauseSQL.environment("z")), '["paused", "running"]'::jsonb) AS changes
      FROM z
      GROUP BY z.app_id, z.environment_no
    ),
    \(audit),
    \(OutboxSQL.app(.appResumed, from: "z x", reason: nil)),
    s AS (
      DELETE FROM app_circuit_suspect s
      USING z
      WHERE s.app_no = z.app_no AND s.apns_environment = z.apns_environment
      RETURNING s.app_no, s.installation_no, s.token
    ),
    locked AS MATERIALIZED (
      SELECT i.app_no, i.installation_no
      FROM installation i
      JOIN s ON i.app_no = s.app_no AND i.installation_no = s.installation_no
      WHERE NOT $4 AND i.push_token = s.token AND i.token_state = 2
      ORDER BY i.app_no, i.installation_no
      FOR NO KEY UPDATE OF i
    ),
    lifted AS (
      UPDATE installation i
      SET token_state = 1, updated_at = now()
      FROM locked l
      WHERE i.app_no = l.app_no AND i.installation_no = l.installation_no
      RETURNING 1
    ),
    due AS (
      UPDATE delivery_retry r
      SET not_before = now()
      FROM z
      WHERE r.app_no = z.app_no AND r.apns_environment = z.apns_environment AND r.not_before > now()
        AND (r.last_status IN (400, 403) OR r.not_before > now() + interval '1 day')
      RETURNING 1
    ),
    token AS (
      DELETE FROM provider_token t
      USING z
      JOIN apns_key k ON k.app_no = z.app_no
      WHERE z.reason = 3 AND t.team_id = k.team_id AND t.key_id = k.key_id AND t.fingerprint = k.fingerprint
    )
    SELECT (SELECT count(*) FROM z)::integer, (SELECT count(*) FROM lifted)::integer,
      (SELECT count(*) FROM due)::integer
    """

  private static let audit = AuditSQL.insert(
    from: "changed x", first: 5, environment: "x.environment_no", target: (.app, "x.app_id::text"),
    changes: "x.changes")

  func bind(to parameters: inout Parameters) {
    parameters.add(app.uuid)
    parameters.add(environment?.value)
    parameters.add(apnsEnvironments.map(\.rawValue))
    parameters.add(keepSuspects)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Resumption {
    Resumption(circuits: try row.int32(), tokens: try row.int32(), retries: try row.int32())
  }
}

/// Apps with what is paused of them; an app without pauses is one row.
struct ListPauses: Statement {
  let app: AppID?
  let environment: EnvironmentNumber?

  static let sql = """
    SELECT a.app_id, c.apns_environment, c.reason, c.detail, c.opened_at
    FROM app a
    LEFT JOIN app_circuit c ON c.app_no = a.app_no AND c.state = 2
    WHERE ($1::uuid IS NULL OR a.app_id = $1) AND ($2::bigint IS NULL OR a.environment_no = $2)
    ORDER BY a.app_no, c.apns_environment
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app?.uuid)
    parameters.add(environment?.value)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> (app: AppID, pause: AppPause?) {
    (app: AppID(try row.uuid()), pause: try PauseRow.decode(&row))
  }
}

/// The columns of a pause in the order in which `decode` reads them; all are null when there is none.
enum PauseRow {
  static func decode(_ row: inout RowReader) throws(PostgresError) -> AppPause? {
    let environment = try row.int16OrNil()
    let reason = try row.int16OrNil()
    let detail = try row.stringOrNil()
    let since = try row.timestampOrNil()
    guard let environment, let reason, let since else { return nil }
    guard let environment = APNsEnvironment(rawValue: environment), let reason = PauseReason(rawValue: reason) else {
      throw PostgresError.decode("app_circuit: unknown environment or reason")
    }
    return AppPause(
      environment: environment, reason: reason, detail: detail, since: Timestamp(microseconds: since))
  }
}
