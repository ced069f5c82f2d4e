import KitsCore
import Postgres

/// Makes installations of what is staged. The owner of a push token decides: where there is one, the device that
/// registered it knows better than a file, and an earlier import of the file has done its work. Rows of users who were
/// erased are left out, so that an old file brings nobody back.
struct InsertStagedInstallations: Statement {
  let app: AppNumber

  /// The first row of a token counts. Locks are taken in the order in which registrations take them.
  private static let fresh = """
    kept AS MATERIALIZED (
      SELECT s.*
      FROM import_staging s
      WHERE NOT EXISTS (
        SELECT
        FROM home h
        JOIN erased_user e ON e.environment_no = h.environment_no
        WHERE e.user_hash = \(UserHash.sql(environment: "h.environment_id", user: "s.external_id"))
      )
    ),
    fresh AS MATERIALIZED (
      SELECT d.*, nextval('installation_no_seq') AS installation_no
      FROM (SELECT DISTINCT ON (push_token) * FROM kept ORDER BY push_token, ord) d
    )
    """

  /// An empty hash of its state: no device has said anything yet.
  static let sql = """
    WITH home AS MATERIALIZED (
      SELECT a.app_no, a.collection, e.environment_no, e.environment_id
      FROM app a
      JOIN environment e USING (environment_no)
      WHERE a.app_no = $1
    ),
    \(fresh),
    own AS (
      INSERT INTO token_owner AS o (app_no, token, installation_no, registered_at)
      SELECT $1, f.push_token, f.installation_no, now()
      FROM fresh f
      ORDER BY f.push_token
      ON CONFLICT (app_no, token) DO NOTHING
      RETURNING o.installation_no
    ),
    ins AS (
      INSERT INTO installation (
        app_no, installation_no, installation_id, platform, apns_environment, push_token, token_state,
        token_registered_at, permission, push_preference, binding_id, external_id, state_revision, state_hash,
        app_version, os_version, model, sdk_version, language, time_zone, collection, collection_enabled,
        external_device_id, coppa, tags, first_session_at, last_session_at, session_count, foreground_seconds
      )
      SELECT h.app_no, f.installation_no, f.installation_id, f.platform, f.apns_environment, f.push_token, 1, now(),
        f.permission, f.push_preference, f.binding_id, f.external_id, 1, '', f.app_version, f.os_version, f.model,
        f.sdk_version, f.language, f.time_zone, (h.collection | f.collection_on) & ~f.collection_off,
        f.collection_enabled, f.external_device_id, f.coppa, f.tags, f.first_session_at, f.last_session_at,
        f.session_count, f.foreground_seconds
      FROM fresh f
      JOIN own USING (installation_no)
      CROSS JOIN home h
      RETURNING app_no, installation_no, tags
    ),
    m AS (
      INSERT INTO imported_installation (app_no, installation_no)
      SELECT i.app_no, i.installation_no
      FROM ins i
    ),
    \(TagKeySQL.catalogue(of: "SELECT i.app_no, i.tags FROM ins i"))
    SELECT (SELECT count(*) FROM import_staging), (SELECT count(*) FROM kept), (SELECT count(*) FROM ins)
    """

  /// How many were staged, how many of them are not of erased users, and how many became installations.
  typealias Row = (staged: Int64, kept: Int64, inserted: Int64)

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    (staged: try row.int64(), kept: try row.int64(), inserted: try row.int64())
  }
}
