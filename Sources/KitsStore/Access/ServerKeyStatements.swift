import KitsCore
import Postgres

struct CreateServerKey: Statement {
  let id: ServerKeyID
  let environment: EnvironmentID
  let name: String
  let hash: [UInt8]
  let lastFour: String
  let scopes: [Scope]

  static let sql = """
    INSERT INTO server_key (key_id, environment_no, name, hash, last_four, scopes)
    SELECT $1, e.environment_no, $3, $4, $5, $6
    FROM environment e
    WHERE e.environment_id = $2
    RETURNING key_id
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(id.uuid)
    parameters.add(environment.uuid)
    parameters.add(name)
    parameters.add(hash)
    parameters.add(lastFour)
    parameters.add(scopes.map(\.rawValue))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ServerKeyID {
    ServerKeyID(try row.uuid())
  }
}

struct ListServerKeys: Statement {
  let environment: EnvironmentID

  static let sql = """
    SELECT k.key_id, k.environment_no, k.name, k.last_four, k.scopes, k.created_at, k.revoked_at
    FROM server_key k
    JOIN environment e USING (environment_no)
    WHERE e.environment_id = $1
    ORDER BY k.key_no
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ServerKeyRecord {
    ServerKeyRecord(
      id: ServerKeyID(try row.uuid()), environment: EnvironmentNumber(try row.int64()), name: try row.string(),
      lastFour: try row.string(), scopes: Set(try row.stringArray().compactMap(Scope.init(rawValue:))),
      createdAt: Timestamp(microseconds: try row.timestamp()),
      revokedAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)))
  }
}

struct FindEnvironment: Statement {
  let environment: EnvironmentID

  static let sql = """
    SELECT environment_no
    FROM environment
    WHERE environment_id = $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> EnvironmentNumber {
    EnvironmentNumber(try row.int64())
  }
}

/// Revoking twice keeps the first time.
struct RevokeServerKey: Statement {
  let id: ServerKeyID

  static let sql = """
    UPDATE server_key
    SET revoked_at = coalesce(revoked_at, now())
    WHERE key_id = $1
    RETURNING key_id
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(id.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ServerKeyID {
    ServerKeyID(try row.uuid())
  }
}
