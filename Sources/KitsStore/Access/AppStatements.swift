import KitsCore
import Postgres

/// The columns of an app in the order in which `decode` reads them; queries name the rows `a` and `e`.
enum AppRow {
  static let columns = """
    a.app_no, a.app_id, a.environment_no, e.environment_id, a.name, a.bundle_id, a.platforms, a.public_key,
    e.auth_mode, e.policy_revision, e.identifier_policy, a.collection, a.signing_mode, a.signing_bucket_seconds
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> AppRecord {
    AppRecord(
      number: AppNumber(try row.int64()), id: AppID(try row.uuid()), environment: EnvironmentNumber(try row.int64()),
      environmentID: EnvironmentID(try row.uuid()), name: try row.string(), bundleID: try row.string(),
      platforms: try row.int16Array().compactMap(Platform.init(rawValue:)), publicKey: try row.string(),
      authMode: try row.known(AuthMode.self), policyRevision: try row.int64(),
      identifierPolicy: try row.known(IdentifierPolicy.self),
      collectionDefaults: CollectionConsent.Features(rawValue: try row.int16()),
      signing: AppRecord.Signing(mode: try row.known(SigningMode.self), bucketSeconds: try row.int32()))
  }
}

/// The app of a public key, with the time of the database.
struct ReadAppByPublicKey: Statement {
  let publicKey: String

  static let sql = """
    SELECT now(), \(AppRow.columns)
    FROM app a
    JOIN environment e USING (environment_no)
    WHERE a.public_key = $1
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(publicKey)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> (now: Timestamp, app: AppRecord) {
    (now: Timestamp(microseconds: try row.timestamp()), app: try AppRow.decode(&row))
  }
}

struct ListApps: Statement {
  let environment: EnvironmentID?

  static let sql = """
    SELECT \(AppRow.columns)
    FROM app a
    JOIN environment e USING (environment_no)
    WHERE $1::uuid IS NULL OR e.environment_id = $1
    ORDER BY a.app_no
    """

  func bind(to parameters: inout Parameters) {
    parameters.add(environment?.uuid)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> AppRecord {
    try AppRow.decode(&row)
  }
}

/// A project comes with its first environment, which is BASIC (K17).
struct CreateProject: Statement {
  let project: ProjectID
  let environment: EnvironmentID
  let name: String
  let environmentName: String
  let call: AuditedCall

  static let sql = """
    WITH p AS (
      INSERT INTO project (project_id, name)
      VALUES ($1, $2)
      RETURNING project_no, project_id, name
    ),
    e AS (
      INSERT INTO environment (environment_id, project_no, name)
      SELECT $3, p.project_no, $4
      FROM p
      RETURNING environment_no, name
    ),
    \(audit)
    SELECT
    FROM e
    """

  private static let audit = AuditSQL.insert(
    from: "p CROSS JOIN e", first: 5, environment: "e.environment_no",
    target: (.project, "p.project_id::text"),
    changes:
      "jsonb_build_object('name', jsonb_build_array(NULL, p.name), 'environment', jsonb_build_array(NULL, e.name))"
  )

  func bind(to parameters: inout Parameters) {
    parameters.add(project.uuid)
    parameters.add(name)
    parameters.add(environment.uuid)
    parameters.add(environmentName)
    AuditSQL.bind(call, to: &parameters)
  }

  typealias Row = NoRow
}

/// An app with its APNs key in one statement; Android-only apps have no key.
struct CreateApp: Statement {
  let app: NewApp
  let call: AuditedCall

  static let sql = """
    WITH a AS (
      INSERT INTO app (app_id, environment_no, name, bundle_id, platforms, public_key)
      SELECT $1, e.environment_no, $3, $4, $5, $6
      FROM environment e
      WHERE e.environment_id = $2
      RETURNING app_no, app_id, environment_no, name, bundle_id, platforms
    ),
    k AS (
      INSERT INTO apns_key (app_no, team_id, key_id, fingerprint, sealed_under, private_key)
      SELECT a.app_no, $7, $8, $9, $10, $11
      FROM a
      WHERE $11::bytea IS NOT NULL
    ),
    \(audit)
    SELECT a.app_id
    FROM a
    """

  private static let audit = AuditSQL.insert(
    from: "a", first: 12, environment: "a.environment_no", target: (.app, "a.app_id::text"),
    changes: """
      jsonb_build_object(
        'name', jsonb_build_array(NULL, a.name), 'bundle_id', jsonb_build_array(NULL, a.bundle_id),
        'platforms', jsonb_build_array(NULL,
          ARRAY(SELECT CASE p WHEN 1 THEN 'ios' ELSE 'android' END FROM unnest(a.platforms) AS p))
      ) || CASE
        WHEN $11::bytea IS NULL THEN '{}'
        ELSE jsonb_build_object('team_id', jsonb_build_array(NULL, $7::text),
          'key_id', jsonb_build_array(NULL, $8::text))
      END
      """)

  func bind(to parameters: inout Parameters) {
    parameters.add(app.id.uuid)
    parameters.add(app.environment.uuid)
    parameters.add(app.name)
    parameters.add(app.bundleID)
    parameters.add(app.platforms.map(\.rawValue))
    parameters.add(app.publicKey)
    parameters.add(app.apnsKey?.teamID)
    parameters.add(app.apnsKey?.keyID)
    parameters.add(app.apnsKey?.fingerprint)
    parameters.add(app.apnsKey?.sealedUnder)
    parameters.add(app.apnsKey?.sealedPrivateKey)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> AppID {
    AppID(try row.uuid())
  }
}

/// Gives an app that runs on iOS another APNs key. The insert reads `old`, so that the old key is read before it goes.
struct SetAPNsKey: Statement {
  let app: AppID
  let key: SealedAPNsKey
  let call: AuditedCall

  static let sql = """
    WITH a AS (
      SELECT a.app_no, a.app_id, a.environment_no
      FROM app a
      WHERE a.app_id = $1 AND 1 = ANY (a.platforms)
    ),
    old AS (
      SELECT k.team_id, k.key_id, k.fingerprint
      FROM a
      JOIN apns_key k ON k.app_no = a.app_no
      FOR UPDATE OF k
    ),
    k AS (
      INSERT INTO apns_key AS k (app_no, team_id, key_id, fingerprint, sealed_under, private_key)
      SELECT a.app_no, $2, $3, $4, $5, $6
      FROM a
      LEFT JOIN old ON true
      ON CONFLICT (app_no) DO UPDATE
        SET team_id = excluded.team_id, key_id = excluded.key_id, fingerprint = excluded.fingerprint,
          sealed_under = excluded.sealed_under, private_key = excluded.private_key, created_at = now()
      RETURNING k.team_id, k.key_id, k.fingerprint
    ),
    \(audit)
    SELECT true
    FROM k
    """

  private static let audit = AuditSQL.insert(
    from: "a CROSS JOIN k LEFT JOIN old ON true", first: 7, environment: "a.environment_no",
    target: (.app, "a.app_id::text"),
    changes: """
      jsonb_build_object(
        'team_id', jsonb_build_array(old.team_id, k.team_id), 'key_id', jsonb_build_array(old.key_id, k.key_id),
        'fingerprint', jsonb_build_array(encode(old.fingerprint, 'hex'), encode(k.fingerprint, 'hex'))
      )
      """)

  func bind(to parameters: inout Parameters) {
    parameters.add(app.uuid)
    parameters.add(key.teamID)
    parameters.add(key.keyID)
    parameters.add(key.fingerprint)
    parameters.add(key.sealedUnder)
    parameters.add(key.sealedPrivateKey)
    AuditSQL.bind(call, to: &parameters)
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool {
    try row.bool()
  }
}
