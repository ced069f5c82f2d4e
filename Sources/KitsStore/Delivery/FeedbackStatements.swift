package import KitsCore
import Postgres

/// What the push service said of a token.
package struct TokenFeedback: Sendable, Equatable {
  package let app: AppNumber
  package let installation: InstallationNumber
  package let token: String
  package let state: TokenState
  /// When APNs confirmed the token invalid; nil when it gave no time. A later registration wins.
  package let confirmedAt: Timestamp?

  package init(
    app: AppNumber, installation: InstallationNumber, token: String, state: TokenState, confirmedAt: Timestamp?
  ) {
    self.app = app
    self.installation = installation
    self.token = token
    self.state = state
    self.confirmedAt = confirmedAt
  }
}

/// Marks tokens, each only if it is still the one that failed and was not registered again since. What is marked as
/// dead is an uninstall of today.
struct RecordFeedback: Statement {
  let feedback: [TokenFeedback]

  static let sql = """
    WITH f AS MATERIALIZED (
      SELECT i.app_no, i.installation_no, u.state
      FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::smallint[], $5::timestamptz[])
        AS u (app_no, installation_no, token, state, confirmed_at)
      JOIN installation i ON i.app_no = u.app_no AND i.installation_no = u.installation_no
      WHERE i.push_token = u.token AND i.token_state = 1
        AND (u.confirmed_at IS NULL OR i.token_registered_at <= u.confirmed_at)
      ORDER BY i.app_no, i.installation_no
      FOR NO KEY UPDATE OF i
    ),
    u AS (
      UPDATE installation i
      SET token_state = f.state,
        updated_at = now()
      FROM f
      WHERE i.app_no = f.app_no AND i.installation_no = f.installation_no
      RETURNING i.app_no, i.installation_no, i.installation_id, i.platform, i.app_version, i.token_state, i.push_token
    ),
    \(UninstallSQL.note(from: "u")),
    \(OutboxSQL.unregistered(from: "u"))
    SELECT u.installation_no
    FROM u
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(feedback.map(\.app.value))
    parameters.add(feedback.map(\.installation.value))
    parameters.add(feedback.map(\.token))
    parameters.add(feedback.map(\.state.rawValue))
    parameters.add(timestamps: feedback.map { $0.confirmedAt?.microseconds })
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> InstallationNumber {
    InstallationNumber(try row.int64())
  }
}
