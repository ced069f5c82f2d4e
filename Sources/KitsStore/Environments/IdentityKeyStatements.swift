import KitsCore
import Postgres

/// The columns of an identity key in the order in which `decode` reads them; queries name the row `k`.
enum IdentityKeyRow {
  static let columns = "k.key_id, k.spki, k.created_at, k.revoked_at"

  static func decode(_ row: inout RowReader) throws(PostgresError) -> IdentityKeyRecord {
    let text = try row.string()
    guard let id = IdentityKeyID(text) else { throw .decode("identity_key: a key_id that can't be one") }
    return IdentityKeyRecord(
      id: id, spki: try row.bytes(), createdAt: Timestamp(microseconds: try row.timestamp()),
      revokedAt: try row.timestampOrNil().map(Timestamp.init(microseconds:)))
  }
}

/// Registers a key unless its id or the key itself is there. Answers what is there now: the new key, or those in its
/// way. No row but the environment's: another call has just added one of them, so ask again.
struct AddIdentityKey: Statement {
  let place: EnvironmentPlace
  let id: IdentityKeyID
  let spki: [UInt8]
  let call: AuditedCall

  static let sql = """
    WITH e AS (
      SELECT e.environment_no
      FROM environment e
      WHERE \(EnvironmentPlace.condition)
    ),
    old AS (
      SELECT \(IdentityKeyRow.columns)
      FROM identity_key k
      JOIN e USING (environment_no)
      WHERE k.key_id = $3 OR k.spki = $4
    ),
    room AS (
      SELECT count(*) < \(Limits.identityKeys) AS is_left
      FROM identity_key k
      JOIN e USING (environment_no)
      WHERE k.revoked_at IS NULL
    ),
    k AS (
      INSERT INTO identity_key AS k (environment_no, key_id, spki)
      SELECT e.environment_no, $3, $4
      FROM e
      CROSS JOIN room
      WHERE room.is_left AND NOT EXISTS (SELECT FROM old)
      ON CONFLICT DO NOTHING
      RETURNING \(IdentityKeyRow.columns), k.environment_no
    ),
    \(audit)
    SELECT room.is_left, k.is_new, \(IdentityKeyRow.columns)
    FROM e
    CROSS JOIN room
    LEFT JOIN (
      SELECT true AS is_new, \(IdentityKeyRow.columns) FROM k
      UNION ALL
      SELECT false, \(IdentityKeyRow.columns) FROM old k
    ) k ON true
    """

  private static let audit = AuditSQL.insert(
    from: "k", first: 5, environment: "k.environment_no", target: (.identityKey, "k.key_id"),
    changes: "jsonb_build_object('fingerprint', jsonb_build_array(NULL, encode(sha256(k.spki), 'hex')))")

  func bind(to parameters: inout Parameters) {
    place.bind(to: &parameters)
    parameters.add(id.text)
    parameters.add(spki)
    AuditSQL.bind(call, to: &parameters)
  }

  struct Row: Sendable {
    let isRoomLeft: Bool
    let found: (isNew: Bool, key: IdentityKeyRecord)?
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
    let isRoomLeft = try row.bool()
    guard let isNew = try row.boolOrNil() else { return Row(isRoomLeft: isRoomLeft, found: nil) }
    return Row(isRoomLeft: isRoomLeft, found: (isNew: isNew, key: try IdentityKeyRow.decode(&row)))
  }
}

/// All keys of an environment, revoked ones too; no row when there is no such environment, one without a key when it
/// has none.
struct ListIdentityKeys: Statement {
  let place: EnvironmentPlace

  static let sql = """
    SELECT k.key_id IS NOT NULL, \(IdentityKeyRow.columns)
    FROM environment e
    LEFT JOIN identity_key k USING (environment_no)
    WHERE \(EnvironmentPlace.condition)
    ORDER BY k.created_at, k.key_id
    """

  func bind(to parameters: inout Parameters) {
    place.bind(to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> IdentityKeyRecord? {
    try row.bool() ? try IdentityKeyRow.decode(&row) : nil
  }
}

/// Revoking twice keeps the first time. Whoever verifies a token asks for the row, so this holds at once everywhere.
struct RevokeIdentityKey: Statement {
  let place: EnvironmentPlace
  let id: IdentityKeyID
  let call: AuditedCall

  static let sql = """
    WITH k AS (
      SELECT k.environment_no, \(IdentityKeyRow.columns)
      FROM identity_key k
      JOIN environment e USING (environment_no)
      WHERE \(EnvironmentPlace.condition) AND k.key_id = $3
      FOR NO KEY UPDATE OF k
    ),
    u AS (
      UPDATE identity_key x
      SET revoked_at = now()
      FROM k
      WHERE x.environment_no = k.environment_no AND x.key_id = k.key_id AND k.revoked_at IS NULL
      RETURNING x.environment_no, x.key_id, x.spki, x.created_at, x.revoked_at
    ),
    \(audit)
    SELECT k.key_id, k.spki, k.created_at, coalesce(u.revoked_at, k.revoked_at)
    FROM k
    LEFT JOIN u ON true
    """

  private static let audit = AuditSQL.insert(
    from: "u", first: 4, environment: "u.environment_no", target: (.identityKey, "u.key_id"),
    changes: #"'{"revoked": [false, true]}'::jsonb"#)

  func bind(to parameters: inout Parameters) {
    place.bind(to: &parameters)
    parameters.add(id.text)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> IdentityKeyRecord {
    try IdentityKeyRow.decode(&row)
  }
}
