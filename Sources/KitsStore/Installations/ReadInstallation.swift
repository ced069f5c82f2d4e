import KitsCore
import Postgres

/// The installation that a device token names.
struct ReadOwnInstallation: Statement {
  let app: AppNumber
  let number: InstallationNumber
  let generation: Int32

  static let sql = """
    SELECT \(InstallationRow.ownsToken), \(InstallationRow.columns)
    FROM installation i
    WHERE i.app_no = $1 AND i.installation_no = $2 AND i.generation = $3
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(number.value)
    parameters.add(generation)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Installation {
    try InstallationRow.decode(&row)
  }
}

/// An installation of any app of an environment, with the policy that its identifiers are ranked by.
struct ReadEnvironmentInstallation: Statement {
  let environment: EnvironmentNumber
  let id: InstallationID

  static let sql = """
    SELECT e.identifier_policy, \(InstallationRow.ownsToken), \(InstallationRow.columns)
    FROM app a
    JOIN environment e ON e.environment_no = a.environment_no
    JOIN installation i ON i.app_no = a.app_no AND i.installation_id = $2
    WHERE a.environment_no = $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
  }

  typealias Row = (policy: IdentifierPolicy, installation: Installation)

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    (policy: try row.known(IdentifierPolicy.self), installation: try InstallationRow.decode(&row))
  }
}
