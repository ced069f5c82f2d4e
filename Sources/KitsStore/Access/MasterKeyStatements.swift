import Postgres

struct ListMasterKeyChecks: Statement {
  static let sql = """
    SELECT key_id, check_value
    FROM master_key_check
    ORDER BY key_id
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> MasterKeyCheck {
    MasterKeyCheck(id: try row.string(), value: try row.bytes())
  }
}

struct ListUncheckedAPNsKeys: Statement {
  static let sql = """
    SELECT DISTINCT ON (k.sealed_under) k.team_id, k.key_id, k.fingerprint, k.sealed_under, k.private_key
    FROM apns_key k
    WHERE NOT EXISTS (
      SELECT
      FROM master_key_check c
      WHERE c.key_id = k.sealed_under
    )
    ORDER BY k.sealed_under, k.app_no
    """

  func bind(to parameters: inout Parameters) {}

  static func decode(_ row: inout RowReader) throws(PostgresError) -> SealedAPNsKey {
    SealedAPNsKey(
      teamID: try row.string(), keyID: try row.string(), fingerprint: try row.bytes(), sealedUnder: try row.string(),
      sealedPrivateKey: try row.bytes())
  }
}

struct AddMasterKeyChecks: Statement {
  let checks: [MasterKeyCheck]

  static let sql = """
    INSERT INTO master_key_check (key_id, check_value)
    SELECT c.key_id, c.check_value
    FROM unnest($1::text[], $2::bytea[]) AS c (key_id, check_value)
    ON CONFLICT ON CONSTRAINT master_key_check_pkey DO NOTHING
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(checks.map(\.id))
    parameters.add(checks.map(\.value))
  }

  typealias Row = NoRow
}
