package import KitsCore
import Postgres

/// A place in the order of app and installation.
package struct InstallationPlace: Sendable, Equatable {
  package let app: AppNumber
  package let installation: InstallationNumber

  package static let start = InstallationPlace(app: AppNumber(0), installation: InstallationNumber(0))
}

/// Looks at the next imported installations and deletes those whose push token a device has registered since: it is
/// counted by its own installation. Answers how far it came; no row at the end.
///
/// What was imported passes to nobody: whoever holds a token now may be somebody else than the file says.
struct SweepReplacedImports: Statement {
  let after: InstallationPlace
  let limit: Int32

  static let sql = """
    WITH s AS MATERIALIZED (
      SELECT m.app_no, m.installation_no
      FROM imported_installation m
      WHERE (m.app_no, m.installation_no) > ($1, $2)
      ORDER BY m.app_no, m.installation_no
      LIMIT $3
    ),
    g AS MATERIALIZED (
      SELECT s.app_no, s.installation_no
      FROM s
      LEFT JOIN installation i USING (app_no, installation_no)
      WHERE NOT EXISTS (
        SELECT
        FROM token_owner o
        WHERE o.app_no = i.app_no AND o.token = i.push_token AND o.installation_no = i.installation_no
      )
    ),
    m AS (
      DELETE FROM imported_installation m
      USING g
      WHERE m.app_no = g.app_no AND m.installation_no = g.installation_no
    ),
    k AS (
      DELETE FROM identity_operation k
      USING g
      WHERE k.app_no = g.app_no AND k.installation_no = g.installation_no
    ),
    d AS (
      DELETE FROM installation i
      USING g
      WHERE i.app_no = g.app_no AND i.installation_no = g.installation_no
      RETURNING i.app_no
    )
    SELECT s.app_no, s.installation_no, (SELECT count(*) FROM d)
    FROM s
    ORDER BY s.app_no DESC, s.installation_no DESC
    LIMIT 1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(after.app.value)
    parameters.add(after.installation.value)
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> (place: InstallationPlace, removed: Int64) {
    let place = InstallationPlace(
      app: AppNumber(try row.int64()), installation: InstallationNumber(try row.int64()))
    return (place: place, removed: try row.int64())
  }
}
