import KitsCore
import Postgres

/// What never changes about an app.
struct FindAppHome: Statement {
  let app: AppNumber

  static let sql = """
    SELECT a.environment_no, a.app_id
    FROM app a
    WHERE a.app_no = $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> AppHome {
    AppHome(environment: EnvironmentNumber(try row.int64()), id: AppID(try row.uuid()))
  }
}

/// What never changes about an identity key. Whether it was revoked is asked by the statement that decides.
struct FindIdentityKey: Statement {
  let environment: EnvironmentNumber
  let keyID: String

  static let sql = """
    SELECT k.spki
    FROM identity_key k
    WHERE k.environment_no = $1 AND k.key_id = $2
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment.value)
    parameters.add(keyID)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> [UInt8] {
    try row.bytes()
  }
}

/// Refused proofs by app, day and cause; the newest day first.
struct ListRejections: Statement {
  /// Today is one.
  let days: Int32

  static let sql = """
    SELECT a.app_id, to_char(j.day, 'YYYY-MM-DD'), j.cause, j.bound, j.count, j.last_at
    FROM identity_rejection j
    JOIN app a USING (app_no)
    WHERE j.day > (now() AT TIME ZONE 'UTC')::date - $1::integer
    ORDER BY j.day DESC, j.app_no, j.count DESC, j.cause, j.bound
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(days)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> RejectionCount {
    RejectionCount(
      app: AppID(try row.uuid()), day: try row.string(), cause: try row.string(), wasOverlooked: try row.bool(),
      count: try row.int64(), lastAt: Timestamp(microseconds: try row.timestamp()))
  }
}
