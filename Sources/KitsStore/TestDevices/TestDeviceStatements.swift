import KitsCore
import Postgres

/// Marks an installation. One that is marked stays as it is.
struct AddTestDevice: Statement {
  /// Nil at the command line: any.
  let environment: EnvironmentNumber?
  let id: InstallationID
  let call: AuditedCall

  static let sql = """
    WITH i AS MATERIALIZED (
      SELECT i.*
      FROM app a
      JOIN installation i ON i.app_no = a.app_no AND i.installation_id = $2
      WHERE $1::bigint IS NULL OR a.environment_no = $1
      FOR KEY SHARE OF i
    ),
    known AS MATERIALIZED (
      SELECT m.app_no, m.installation_no, m.marked_at
      FROM i
      JOIN test_device m USING (app_no, installation_no)
    ),
    ins AS (
      INSERT INTO test_device AS m (app_no, installation_no)
      SELECT i.app_no, i.installation_no
      FROM i
      WHERE NOT EXISTS (SELECT FROM known)
        AND (SELECT count(*) FROM test_device x WHERE x.app_no = i.app_no) < \(Limits.testDevicesPerApp)
      ON CONFLICT (app_no, installation_no) DO UPDATE SET marked_at = m.marked_at
      RETURNING m.app_no, m.installation_no, m.marked_at, m.xmax = 0 AS is_new
    ),
    m AS (
      SELECT app_no, installation_no, marked_at
      FROM known
      UNION ALL
      SELECT app_no, installation_no, marked_at
      FROM ins
    ),
    \(AuditSQL.insert(
        from: "(SELECT FROM ins WHERE is_new) n CROSS JOIN i JOIN app a USING (app_no)", first: 3,
        environment: "a.environment_no", target: (kind: .installation, id: "i.installation_id::text"),
        changes: "jsonb_build_object('test_device', jsonb_build_array(false, true))"))
    SELECT m.app_no IS NOT NULL, \(TestDeviceRow.columns)
    FROM i
    JOIN app a USING (app_no)
    LEFT JOIN m USING (app_no, installation_no)
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment?.value)
    parameters.add(id.uuid)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> TestDevice.Marking {
    guard try row.bool() else { return .full }
    return .marked(try TestDeviceRow.decode(&row))
  }
}

/// Takes the mark away. A row for an installation that is there, marked or not.
struct RemoveTestDevice: Statement {
  let environment: EnvironmentNumber?
  let id: InstallationID
  let call: AuditedCall

  static let sql = """
    WITH i AS MATERIALIZED (
      SELECT a.environment_no, i.app_no, i.installation_no, i.installation_id
      FROM app a
      JOIN installation i ON i.app_no = a.app_no AND i.installation_id = $2
      WHERE $1::bigint IS NULL OR a.environment_no = $1
    ),
    del AS (
      DELETE FROM test_device m
      USING i
      WHERE m.app_no = i.app_no AND m.installation_no = i.installation_no
      RETURNING m.app_no, m.installation_no
    ),
    \(AuditSQL.insert(
        from: "del JOIN i USING (app_no, installation_no)", first: 3, environment: "i.environment_no",
        target: (kind: .installation, id: "i.installation_id::text"),
        changes: "jsonb_build_object('test_device', jsonb_build_array(true, false))"))
    SELECT EXISTS (SELECT FROM del)
    FROM i
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment?.value)
    parameters.add(id.uuid)
    AuditSQL.bind(call, to: &parameters)
  }

  /// Whether it was marked.
  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.bool() }
}

/// Of the apps of an environment or of one of them, the newest installation first.
struct ListTestDevices: Statement {
  let environment: EnvironmentID?
  let environmentNumber: EnvironmentNumber?
  let app: AppID?
  let before: InstallationID?
  let limit: Int32

  static let sql = """
    SELECT \(TestDeviceRow.columns)
    FROM environment e
    JOIN app a USING (environment_no)
    JOIN test_device m USING (app_no)
    JOIN installation i USING (app_no, installation_no)
    WHERE (e.environment_no = $1 OR e.environment_id = $2)
      AND ($3::uuid IS NULL OR a.app_id = $3)
      AND ($4::uuid IS NULL OR i.installation_id < $4)
    ORDER BY i.installation_id DESC
    LIMIT $5
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environmentNumber?.value)
    parameters.add(environment?.uuid)
    parameters.add(app?.uuid)
    parameters.add(before?.uuid)
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> TestDevice { try TestDeviceRow.decode(&row) }
}
