import KitsCore
import Postgres

/// Takes the token, and the mark of a test device, from installations whose guid another one holds by now. Waits for
/// their locks, and looks at holder and guid again once it has them: an installation that took its guid back meanwhile
/// stays.
struct SupersedeInstallations: Statement {
  let installations: [Loser]

  struct Loser: Hashable, Sendable {
    let app: AppNumber
    let number: InstallationNumber
  }

  static let sql = """
    WITH loser AS MATERIALIZED (
      SELECT o.app_no, o.installation_no, o.push_token
      FROM unnest($1::bigint[], $2::bigint[]) AS u (app_no, installation_no)
      JOIN installation o USING (app_no, installation_no)
      JOIN device_guid g ON g.app_no = o.app_no AND g.guid_hash = o.identifiers -> 'guid' ->> 'hash'
      WHERE g.installation_no <> o.installation_no
      ORDER BY o.app_no, o.installation_no
      FOR NO KEY UPDATE OF o, g
    ),
    superseded AS (
      UPDATE installation i
      SET \(GuidSQL.loses)
      FROM loser l
      WHERE i.app_no = l.app_no AND i.installation_no = l.installation_no
    ),
    unmarked AS (
      DELETE FROM test_device m
      USING loser l
      WHERE m.app_no = l.app_no AND m.installation_no = l.installation_no
    )
    DELETE FROM token_owner o
    USING loser l
    WHERE o.app_no = l.app_no AND o.token = l.push_token AND o.installation_no = l.installation_no
    """

  static let isIdempotent = true

  func bind(to parameters: inout Parameters) {
    parameters.add(installations.map(\.app.value))
    parameters.add(installations.map(\.number.value))
  }

  typealias Row = NoRow
}
