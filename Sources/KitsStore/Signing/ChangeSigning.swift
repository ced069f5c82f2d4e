import KitsCore
import Postgres

/// Sets the mode and the window. Without a secret every signed request would be refused, so only `off` is taken then.
struct ChangeSigning: Statement {
  let app: AppID
  let environment: EnvironmentNumber?
  let mode: SigningMode?
  let bucketSeconds: Int32?
  let call: AuditedCall

  /// The lock makes the audited before and after those of this change.
  static let sql = """
    WITH a AS MATERIALIZED (
      SELECT a.app_no, a.app_id, a.environment_no, a.signing_mode AS old_mode, a.signing_bucket_seconds AS old_seconds,
        coalesce($3::smallint, a.signing_mode) AS mode, coalesce($4::integer, a.signing_bucket_seconds) AS seconds,
        EXISTS (SELECT FROM app_signing_secret s WHERE s.app_no = a.app_no AND s.replaced_at IS NULL) AS has_secret
      FROM app a
      WHERE a.app_id = $1 AND ($2::bigint IS NULL OR a.environment_no = $2)
      FOR NO KEY UPDATE
    ),
    upd AS (
      UPDATE app u
      SET signing_mode = a.mode, signing_bucket_seconds = a.seconds
      FROM a
      WHERE u.app_no = a.app_no AND (a.mode = 0 OR a.has_secret)
        AND (a.mode, a.seconds) IS DISTINCT FROM (a.old_mode, a.old_seconds)
      RETURNING a.*
    ),
    \(AuditSQL.insert(
      from: "upd a", first: 5, environment: "a.environment_no", target: (.app, "a.app_id::text"),
      changes: """
        CASE WHEN a.mode <> a.old_mode
          THEN jsonb_build_object('mode', jsonb_build_array(\(name("a.old_mode")), \(name("a.mode"))))
          ELSE '{}' END
        || CASE WHEN a.seconds <> a.old_seconds
          THEN jsonb_build_object('bucket_seconds', jsonb_build_array(a.old_seconds, a.seconds))
          ELSE '{}' END
        """))
    SELECT a.mode = 0 OR a.has_secret
    FROM a
    """

  private static func name(_ mode: String) -> String { "(ARRAY['off', 'optional', 'required'])[\(mode) + 1]" }

  func bind(to parameters: inout Parameters) {
    parameters.add(app.uuid)
    parameters.add(environment?.value)
    parameters.add(mode?.rawValue)
    parameters.add(bucketSeconds)
    AuditSQL.bind(call, to: &parameters)
  }

  /// False when a secret is missing and nothing was changed.
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool {
    try row.bool()
  }
}
