package import KitsCore
import Postgres

/// A provider token at rest, shared by all nodes.
package struct StoredProviderToken: Sendable {
  package let sealedUnder: String
  package let sealedToken: [UInt8]
  package let issuedAt: Timestamp

  package init(sealedUnder: String, sealedToken: [UInt8], issuedAt: Timestamp) {
    self.sealedUnder = sealedUnder
    self.sealedToken = sealedToken
    self.issuedAt = issuedAt
  }
}

struct ReadProviderToken: Statement {
  let key: SealedAPNsKey

  static let sql = """
    SELECT now(), t.sealed_under, t.token, t.issued_at
    FROM (SELECT) one
    LEFT JOIN provider_token t ON t.team_id = $1 AND t.key_id = $2 AND t.fingerprint = $3
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(key.teamID)
    parameters.add(key.keyID)
    parameters.add(key.fingerprint)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> (now: Timestamp, token: StoredProviderToken?) {
    let now = Timestamp(microseconds: try row.timestamp())
    guard let sealedUnder = try row.stringOrNil() else { return (now: now, token: nil) }
    return (
      now: now,
      token: StoredProviderToken(
        sealedUnder: sealedUnder, sealedToken: try row.bytes(),
        issuedAt: Timestamp(microseconds: try row.timestamp()))
    )
  }
}

/// Replaces a token that is older than 40 minutes. Nobody's when another node was first.
struct ReplaceProviderToken: Statement {
  let key: SealedAPNsKey
  let token: StoredProviderToken

  static let sql = """
    INSERT INTO provider_token AS t (team_id, key_id, fingerprint, sealed_under, token, issued_at)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (team_id, key_id, fingerprint) DO UPDATE
      SET sealed_under = excluded.sealed_under, token = excluded.token, issued_at = excluded.issued_at
      WHERE t.issued_at < now() - interval '40 minutes'
    RETURNING true
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(key.teamID)
    parameters.add(key.keyID)
    parameters.add(key.fingerprint)
    parameters.add(token.sealedUnder)
    parameters.add(token.sealedToken)
    parameters.add(timestamp: token.issuedAt.microseconds)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool {
    try row.bool()
  }
}
