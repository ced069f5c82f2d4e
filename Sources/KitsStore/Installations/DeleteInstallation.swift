import KitsCore
import Postgres

/// Deletes an installation on its own request, its hold on the push token and its identity operations. Registration
/// keys expire by themselves.
struct DeleteOwnInstallation: Statement {
  let app: AppNumber
  let number: InstallationNumber
  let generation: Int32

  static let sql = """
    WITH d AS (
      DELETE FROM installation i
      WHERE i.app_no = $1 AND i.installation_no = $2 AND i.generation = $3
      RETURNING i.app_no, i.installation_no, i.push_token
    ),
    o AS (
      DELETE FROM token_owner o
      USING d
      WHERE o.app_no = d.app_no AND o.token = d.push_token AND o.installation_no = d.installation_no
    ),
    k AS (
      DELETE FROM identity_operation k
      USING d
      WHERE k.app_no = d.app_no AND k.installation_no = d.installation_no
    )
    SELECT EXISTS (SELECT FROM d),
      EXISTS (SELECT FROM installation i WHERE i.app_no = $1 AND i.installation_no = $2)
    """

  /// Whether it was deleted now, and whether it was there before under any generation.
  typealias Row = (deleted: Bool, existed: Bool)

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
    parameters.add(number.value)
    parameters.add(generation)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    (deleted: try row.bool(), existed: try row.bool())
  }
}

/// Deletes an installation of any app of an environment, for the customer's backend.
struct DeleteEnvironmentInstallation: Statement {
  let environment: EnvironmentNumber
  let id: InstallationID

  static let sql = """
    WITH d AS (
      DELETE FROM installation i
      USING app a
      WHERE a.environment_no = $1 AND i.app_no = a.app_no AND i.installation_id = $2
      RETURNING i.app_no, i.installation_no, i.push_token
    ),
    o AS (
      DELETE FROM token_owner o
      USING d
      WHERE o.app_no = d.app_no AND o.token = d.push_token AND o.installation_no = d.installation_no
    ),
    k AS (
      DELETE FROM identity_operation k
      USING d
      WHERE k.app_no = d.app_no AND k.installation_no = d.installation_no
    )
    SELECT EXISTS (SELECT FROM d)
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(id.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool {
    try row.bool()
  }
}
