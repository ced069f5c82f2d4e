import KitsCore
import Postgres

/// Of the app that an installation's device token names.
struct ReadSigningOfApp: Statement {
  let app: AppNumber

  static let sql = """
    SELECT \(SigningRow.columns)
    FROM app a
    \(SigningRow.secrets)
    WHERE a.app_no = $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.value)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> SigningRecord {
    try SigningRow.decode(&row)
  }
}

struct ReadSigningOfPublicKey: Statement {
  let publicKey: String

  static let sql = """
    SELECT \(SigningRow.columns)
    FROM app a
    \(SigningRow.secrets)
    WHERE a.public_key = $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(publicKey)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> SigningRecord {
    try SigningRow.decode(&row)
  }
}

/// For whoever administers it. Without an environment of any, for the command line.
struct FindSigning: Statement {
  let app: AppID
  let environment: EnvironmentNumber?

  static let sql = """
    SELECT \(SigningRow.columns)
    FROM app a
    \(SigningRow.secrets)
    WHERE a.app_id = $1 AND ($2::bigint IS NULL OR a.environment_no = $2)
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(app.uuid)
    parameters.add(environment?.value)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> SigningRecord {
    try SigningRow.decode(&row)
  }
}
