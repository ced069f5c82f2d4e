import KitsCore
import Postgres

/// The app whose secrets a statement changes: of an environment, or any app for the command line.
enum SigningApp {
  /// A CTE `a`. Expects the parameters that `bind` adds as $1 and $2.
  static let found = """
    a AS (
      SELECT a.app_no, a.app_id, a.environment_no
      FROM app a
      WHERE a.app_id = $1 AND ($2::bigint IS NULL OR a.environment_no = $2)
    )
    """

  static func bind(_ app: AppID, of environment: EnvironmentNumber?, to parameters: inout Parameters) {
    parameters.add(app.uuid)
    parameters.add(environment?.value)
  }
}
