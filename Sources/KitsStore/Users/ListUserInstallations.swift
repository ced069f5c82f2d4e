package import KitsCore
import Postgres

/// An installation with the app that it is of.
package struct UserInstallation: Sendable, Equatable {
  package let app: AppID
  package let installation: Installation
}

/// What is bound to a user in the apps of an environment, the newest first.
///
/// `OFFSET 0` keeps the planner at the index of users: with the order in mind it might walk all installations.
struct ListUserInstallations: Statement {
  let environment: EnvironmentNumber
  let user: ExternalID
  let before: InstallationID?
  let limit: Int32

  static let sql = """
    SELECT a.app_id, \(InstallationRow.ownsToken), \(InstallationRow.columns)
    FROM app a
    CROSS JOIN LATERAL (
      SELECT i.*
      FROM installation i
      WHERE i.app_no = a.app_no AND i.external_id = $2
      OFFSET 0
    ) i
    WHERE a.environment_no = $1 AND ($3::uuid IS NULL OR i.installation_id < $3)
    ORDER BY i.installation_id DESC
    LIMIT $4
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(user.text)
    parameters.add(before?.uuid)
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> UserInstallation {
    UserInstallation(app: AppID(try row.uuid()), installation: try InstallationRow.decode(&row))
  }
}
