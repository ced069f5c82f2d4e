import KitsCore
import Postgres

/// An app's first secret. No row when the app has one already.
struct CreateSigningSecret: Statement {
  let app: AppID
  let environment: EnvironmentNumber?
  let secret: NewSigningSecret
  let call: AuditedCall

  static let sql = """
    WITH \(SigningApp.found),
    s AS (
      INSERT INTO app_signing_secret (app_no, secret_no, sealed_under, secret)
      SELECT a.app_no, $3, $4, $5
      FROM a
      WHERE NOT EXISTS (SELECT FROM app_signing_secret x WHERE x.app_no = a.app_no)
      ON CONFLICT (app_no, secret_no) DO NOTHING
      RETURNING app_no, secret_no
    ),
    \(AuditSQL.insert(
      from: "s JOIN a USING (app_no)", first: 6, environment: "a.environment_no", target: (.app, "a.app_id::text"),
      changes: "jsonb_build_object('secret_no', jsonb_build_array(NULL, s.secret_no))"))
    SELECT true
    FROM s
    """

  func bind(to parameters: inout Parameters) {
    SigningApp.bind(app, of: environment, to: &parameters)
    parameters.add(secret.number)
    parameters.add(secret.sealedUnder)
    parameters.add(secret.sealed)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool {
    try row.bool()
  }
}

/// Replaces the current secret, if it is still the one that the caller saw. The one before it is deleted: of two that
/// rotate at once one finds nothing to replace, and never are more than two good.
struct RotateSigningSecret: Statement {
  let app: AppID
  let environment: EnvironmentNumber?
  /// Its number is one above the one that it replaces.
  let secret: NewSigningSecret
  let call: AuditedCall

  static let sql = """
    WITH \(SigningApp.found),
    old AS (
      UPDATE app_signing_secret o
      SET replaced_at = now()
      FROM a
      WHERE o.app_no = a.app_no AND o.secret_no = $3 - 1 AND o.replaced_at IS NULL
      RETURNING o.app_no, o.secret_no
    ),
    s AS (
      INSERT INTO app_signing_secret (app_no, secret_no, sealed_under, secret)
      SELECT o.app_no, $3, $4, $5
      FROM old o
      RETURNING app_no, secret_no
    ),
    dead AS (
      DELETE FROM app_signing_secret d
      USING old o
      WHERE d.app_no = o.app_no AND d.secret_no < o.secret_no
    ),
    \(AuditSQL.insert(
      from: "s JOIN old o USING (app_no) JOIN a USING (app_no)", first: 6, environment: "a.environment_no",
      target: (.app, "a.app_id::text"),
      changes: "jsonb_build_object('secret_no', jsonb_build_array(o.secret_no, s.secret_no))"))
    SELECT true
    FROM s
    """

  func bind(to parameters: inout Parameters) {
    SigningApp.bind(app, of: environment, to: &parameters)
    parameters.add(secret.number)
    parameters.add(secret.sealedUnder)
    parameters.add(secret.sealed)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool {
    try row.bool()
  }
}

/// Ends the grace of the replaced secret. No row when there is none, or its grace is over anyway.
struct RevokePreviousSigningSecret: Statement {
  let app: AppID
  let environment: EnvironmentNumber?
  let call: AuditedCall

  static let sql = """
    WITH \(SigningApp.found),
    dead AS (
      DELETE FROM app_signing_secret d
      USING a
      WHERE d.app_no = a.app_no AND d.replaced_at IS NOT NULL
      RETURNING d.app_no, d.secret_no, d.replaced_at + \(SigningRow.grace) > now() AS was_good
    ),
    \(AuditSQL.insert(
      from: "dead d JOIN a USING (app_no)", first: 3, environment: "a.environment_no",
      target: (.app, "a.app_id::text"),
      changes: "jsonb_build_object('secret_no', jsonb_build_array(d.secret_no, NULL))"))
    SELECT true
    FROM dead d
    WHERE d.was_good
    """

  func bind(to parameters: inout Parameters) {
    SigningApp.bind(app, of: environment, to: &parameters)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool {
    try row.bool()
  }
}

/// Reads the secrets to show them, and writes down that they were shown.
struct RevealSigningSecrets: Statement {
  let app: AppID
  let environment: EnvironmentNumber?
  let call: AuditedCall

  static let sql = """
    WITH r AS (
      SELECT a.environment_no, a.app_no, \(SigningRow.aliasedColumns)
      FROM app a
      \(SigningRow.secrets)
      WHERE a.app_id = $1 AND ($2::bigint IS NULL OR a.environment_no = $2)
    ),
    \(AuditSQL.insert(
      from: "r WHERE r.current_no IS NOT NULL", first: 3,
      environment: "r.environment_no", target: (.app, "r.app_id::text")))
    SELECT \(SigningRow.aliases)
    FROM r
    """

  func bind(to parameters: inout Parameters) {
    SigningApp.bind(app, of: environment, to: &parameters)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> SigningRecord {
    try SigningRow.decode(&row)
  }
}
