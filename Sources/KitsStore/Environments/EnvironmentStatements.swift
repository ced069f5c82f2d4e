import KitsCore
import Postgres

/// The columns of an environment in the order in which `decode` reads them; queries name the row `e`.
enum EnvironmentRow {
  static let columns = """
    e.environment_no, e.environment_id, \(project), e.name, e.auth_mode, e.shadow, e.policy_revision,
    e.identifier_policy, e.raw_identifiers, \(apps)
    """

  static let project = "(SELECT p.project_id FROM project p WHERE p.project_no = e.project_no)"
  static let apps = """
    ARRAY(SELECT a.app_id FROM app a WHERE a.environment_no = e.environment_no ORDER BY a.app_no),
    ARRAY(SELECT a.name FROM app a WHERE a.environment_no = e.environment_no ORDER BY a.app_no)
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> EnvironmentRecord {
    let number = EnvironmentNumber(try row.int64())
    let id = EnvironmentID(try row.uuid())
    let project = ProjectID(try row.uuid())
    let name = try row.string()
    let policy = EnvironmentPolicy(
      authMode: try row.known(AuthMode.self), shadow: try row.bool(), revision: try row.int64(),
      identifiers: try row.known(IdentifierPolicy.self), rawIdentifiers: try row.bool())
    let apps = zip(try row.uuidArray(), try row.stringArray()).map { EnvironmentRecord.App(id: AppID($0), name: $1) }
    return EnvironmentRecord(number: number, id: id, project: project, name: name, policy: policy, apps: apps)
  }
}

/// One environment, or all.
struct ListEnvironments: Statement {
  let place: EnvironmentPlace?

  static let sql = """
    SELECT \(EnvironmentRow.columns)
    FROM environment e
    WHERE \(EnvironmentPlace.condition) OR ($1 IS NULL AND $2 IS NULL)
    ORDER BY e.environment_no
    """

  func bind(to parameters: inout Parameters) {
    guard let place else {
      parameters.add(Int64?.none)
      parameters.add(EnvironmentID?.none?.uuid)
      return
    }
    place.bind(to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> EnvironmentRecord {
    try EnvironmentRow.decode(&row)
  }
}

/// Another environment of a project; it starts as BASIC.
struct CreateEnvironment: Statement {
  let project: ProjectID
  let environment: EnvironmentID
  let name: String
  let call: AuditedCall

  static let sql = """
    WITH e AS (
      INSERT INTO environment (environment_id, project_no, name)
      SELECT $2, p.project_no, $3
      FROM project p
      WHERE p.project_id = $1
      RETURNING environment_no, environment_id, name
    ),
    \(audit)
    SELECT e.environment_id
    FROM e
    """

  private static let audit = AuditSQL.insert(
    from: "e", first: 4, environment: "e.environment_no", target: (.environment, "e.environment_id::text"),
    changes: "jsonb_build_object('name', jsonb_build_array(NULL, e.name))")

  func bind(to parameters: inout Parameters) {
    parameters.add(project.uuid)
    parameters.add(environment.uuid)
    parameters.add(name)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> EnvironmentID {
    EnvironmentID(try row.uuid())
  }
}
