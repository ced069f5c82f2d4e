package import KitsCore
import Postgres

/// A place in the order of app and token.
package struct TokenPlace: Sendable, Equatable {
  package let app: AppNumber
  package let token: String

  package static let start = TokenPlace(app: AppNumber(0), token: "")
}

/// Looks at the next owners of tokens and deletes those whose token is not the installation's current one any more.
/// Answers how far it came; no row at the end.
///
/// Whoever claims a token sets `registered_at` to now, so a row that is claimed while this statement runs is seen as
/// young when it is locked and stays. Locked rows are skipped: registrations never wait for this, nor does this for
/// them.
struct SweepTokenOwners: Statement {
  let after: TokenPlace
  let before: Timestamp
  let limit: Int32

  static let sql = """
    WITH s AS MATERIALIZED (
      SELECT o.app_no, o.token
      FROM token_owner o
      WHERE (o.app_no, o.token) > ($1, $2)
      ORDER BY o.app_no, o.token
      LIMIT $4
    ),
    l AS MATERIALIZED (
      SELECT o.app_no, o.token
      FROM s
      JOIN token_owner o USING (app_no, token)
      WHERE o.registered_at < $3
        AND NOT EXISTS (
          SELECT
          FROM installation i
          WHERE i.app_no = o.app_no AND i.installation_no = o.installation_no AND i.push_token = o.token
        )
      FOR UPDATE OF o SKIP LOCKED
    ),
    d AS (
      DELETE FROM token_owner o
      USING l
      WHERE o.app_no = l.app_no AND o.token = l.token AND o.registered_at < $3
      RETURNING o.app_no
    )
    SELECT s.app_no, s.token, (SELECT count(*) FROM d)
    FROM s
    ORDER BY s.app_no DESC, s.token DESC
    LIMIT 1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(after.app.value)
    parameters.add(after.token)
    parameters.add(timestamp: before.microseconds)
    parameters.add(limit)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> (place: TokenPlace, removed: Int64) {
    (place: TokenPlace(app: AppNumber(try row.int64()), token: try row.string()), removed: try row.int64())
  }
}
