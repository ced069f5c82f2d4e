import KitsCore
import Postgres

/// The key's role never exceeds its creator's (SEC-R-f); an environment that doesn't exist gets none.
struct CreateServerKey: Statement {
  let key: NewServerKey
  let call: AuditedCall

  static let sql = """
    WITH k AS (
      INSERT INTO server_key (key_id, environment_no, name, hash, last_four, scopes, role)
      SELECT $1, e.environment_no, $3, $4, $5, $6, $7::smallint
      FROM environment e
      WHERE e.environment_id = $2 AND $7::smallint >= $11
      RETURNING key_id, environment_no, name, scopes
    ),
    \(audit)
    SELECT k.key_id
    FROM k
    """

  private static let audit = AuditSQL.insert(
    from: "k", first: 9, environment: "k.environment_no", target: (.serverKey, "k.key_id::text"),
    changes: """
      jsonb_build_object(
        'name', jsonb_build_array(NULL, k.name), 'scopes', jsonb_build_array(NULL, k.scopes),
        'role', jsonb_build_array(NULL, $8::text)
      )
      """)

  func bind(to parameters: inout Parameters) {
    parameters.add(key.id.uuid)
    parameters.add(key.environment.uuid)
    parameters.add(key.name)
    parameters.add(key.hash)
    parameters.add(key.lastFour)
    parameters.add(key.scopes.map(\.rawValue))
    parameters.add(key.role.rawValue)
    parameters.add(key.role.name)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ServerKeyID {
    ServerKeyID(try row.uuid())
  }
}

struct ListServerKeys: Statement {
  let environment: EnvironmentID

  static let sql = """
    SELECT k.key_id, k.environment_no, k.name, k.last_four, k.scopes, k.role, k.created_at, k.revoked_at
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
      role: try row.known(Role.self), createdAt: Timestamp(microseconds: try row.timestamp()),
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
  let call: AuditedCall

  static let sql = """
    WITH k AS (
      SELECT key_no, key_id, environment_no, revoked_at
      FROM server_key
      WHERE key_id = $1
      FOR NO KEY UPDATE
    ),
    u AS (
      UPDATE server_key s
      SET revoked_at = now()
      FROM k
      WHERE s.key_no = k.key_no AND k.revoked_at IS NULL
      RETURNING s.environment_no, s.key_id
    ),
    \(audit)
    SELECT k.key_id
    FROM k
    """

  private static let audit = AuditSQL.insert(
    from: "u", first: 2, environment: "u.environment_no", target: (.serverKey, "u.key_id::text"),
    changes: #"'{"revoked": [false, true]}'::jsonb"#)

  func bind(to parameters: inout Parameters) {
    parameters.add(id.uuid)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> ServerKeyID {
    ServerKeyID(try row.uuid())
  }
}
